package dev.oxbow.kernels.expr;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

final class ComplexTest {
    private static final double[] POINTS = {0.5, 0.25, -1.5, 2, 3, -0.7, -0.2, -1.1};

    @ParameterizedTest(name = "{0}")
    @MethodSource("functions")
    void agreesWithThirtyDigitArithmetic(String name, UnaryOperator<Expr> f, double[] wanted) {
        for (DType dtype : new DType[] {DType.C64, DType.C128}) {
            double[] got = parts(Evaluation.run(f.apply(Expr.input(0, dtype)), tensor(dtype, POINTS)));
            double tolerance = dtype == DType.C64 ? 3e-6 : 1e-14;
            for (int i = 0; i < wanted.length; i++) {
                assertEquals(
                        wanted[i], got[i], tolerance * Math.max(1, Math.abs(wanted[i])), name + " " + dtype + " " + i);
            }
        }
    }

    /** Computed by mpmath 1.3 at POINTS. */
    static Stream<Arguments> functions() {
        return Stream.of(
                Arguments.of("exp", (UnaryOperator<Expr>) Expr::exp, new double[] {
                    1.5974665191199127,
                    0.40790017007835977,
                    -0.09285491028402633,
                    0.2028916804701695,
                    15.36226599311421,
                    -12.939458143583208,
                    0.3713730940880146,
                    -0.7296588730517392
                }),
                Arguments.of("expm1", (UnaryOperator<Expr>) Expr::expm1, new double[] {
                    0.5974665191199127,
                    0.40790017007835977,
                    -1.0928549102840264,
                    0.2028916804701695,
                    14.36226599311421,
                    -12.939458143583208,
                    -0.6286269059119854,
                    -0.7296588730517392
                }),
                Arguments.of("log", (UnaryOperator<Expr>) Expr::log, new double[] {
                    -0.5815754049028404,
                    0.4636476090008061,
                    0.9162907318741551,
                    2.214297435588181,
                    1.1251193063109182,
                    -0.22923193327699531,
                    0.11157177565710495,
                    -1.750649826587375
                }),
                Arguments.of("log1p", (UnaryOperator<Expr>) Expr::log1p, new double[] {
                    0.4191645952022216,
                    0.16514867741462683,
                    0.7234594914681627,
                    1.8157749899217608,
                    1.4013770682857538,
                    -0.17324566645236494,
                    0.30759281954511675,
                    -0.9420000403794637
                }),
                Arguments.of("sqrt", (UnaryOperator<Expr>) Expr::sqrt, new double[] {
                    0.7276733451126774,
                    0.17178037486125622,
                    0.7071067811865476,
                    1.4142135623730951,
                    1.743643363785994,
                    -0.20072912114323696,
                    0.6775079293816032,
                    -0.8117986168841059
                }),
                Arguments.of("sin", (UnaryOperator<Expr>) Expr::sin, new double[] {
                    0.494485780933195,
                    0.22168816414957482,
                    -3.752771340479298,
                    0.2565539560904818,
                    0.1771294601911342,
                    0.7509921728645277,
                    -0.33148346450701105,
                    -1.309023445246914
                }),
                Arguments.of("cos", (UnaryOperator<Expr>) Expr::cos, new double[] {
                    0.9051501505596067,
                    -0.12110879604381165,
                    0.2661271953135458,
                    3.6177750739401375,
                    -1.2426078975400758,
                    0.10705133811767888,
                    1.6352592691091965,
                    -0.26535218906768676
                }),
                Arguments.of("tan", (UnaryOperator<Expr>) Expr::tan, new double[] {
                    0.504500702698564,
                    0.3124206925025888,
                    -0.0053620609220030565,
                    1.036920282100185,
                    -0.08981334726704182,
                    -0.6121052452475353,
                    -0.07094562191920381,
                    -0.8120113100176989
                }),
                Arguments.of("sinh", (UnaryOperator<Expr>) Expr::sinh, new double[] {
                    0.504895714387995,
                    0.2789791283502615,
                    0.8860929093625314,
                    2.139040009980677,
                    7.662093371422626,
                    -6.485765926810749,
                    -0.09132522985597041,
                    -0.90909100036171
                }),
                Arguments.of("cosh", (UnaryOperator<Expr>) Expr::cosh, new double[] {
                    1.0925708047319176,
                    0.12892104172809826,
                    -0.9789478196465577,
                    -1.9361483295105073,
                    7.700172621691585,
                    -6.453692216772459,
                    0.462698323943985,
                    0.17943212730997082
                }),
                Arguments.of("tanh", (UnaryOperator<Expr>) Expr::tanh, new double[] {
                    0.48548728102413535,
                    0.19805544995134952,
                    -1.0641443991765371,
                    -0.08039101531016818,
                    0.9991458237125991,
                    -0.004881228349369699,
                    -0.8338942274462576,
                    -1.6413795898501355
                }),
                Arguments.of("asin", (UnaryOperator<Expr>) Expr::asin, new double[] {
                    0.5016088532755008,
                    0.2813960562452928,
                    -0.6065115181997548,
                    1.6224941488715938,
                    1.3290151565102173,
                    -1.7939996908211533,
                    -0.13427059246257536,
                    -0.9570507662177218
                }),
                Arguments.of("acos", (UnaryOperator<Expr>) Expr::acos, new double[] {
                    1.0691874735193958,
                    -0.2813960562452928,
                    2.1773078449946515,
                    -1.6224941488715938,
                    0.2417811702846793,
                    1.7939996908211533,
                    1.705066919257472,
                    0.9570507662177218
                }),
                Arguments.of("atan", (UnaryOperator<Expr>) Expr::atan, new double[] {
                    0.4842544903299662,
                    0.20058661813123432,
                    -1.311223269671635,
                    0.3104282830771958,
                    1.263187496819826,
                    -0.06713070062832574,
                    -1.0646978210692297,
                    -1.122159092433035
                }),
                Arguments.of("asinh", (UnaryOperator<Expr>) Expr::asinh, new double[] {
                    0.4926756834207706,
                    0.2243284526346675,
                    -1.6004100552346137,
                    0.8877651461839051,
                    1.8412691564548724,
                    -0.21834336837828522,
                    -0.569431500084436,
                    -1.231375807638585
                }),
                Arguments.of("acosh", (UnaryOperator<Expr>) Expr::acosh, new double[] {
                    0.2813960562452928,
                    1.0691874735193958,
                    1.6224941488715938,
                    2.1773078449946515,
                    1.7939996908211533,
                    -0.2417811702846793,
                    0.9570507662177218,
                    -1.705066919257472
                }),
                Arguments.of("atanh", (UnaryOperator<Expr>) Expr::atanh, new double[] {
                    0.5003700000525311,
                    0.3143981432077165,
                    -0.22008968066202292,
                    1.2452579660726568,
                    0.32522535870433616,
                    -1.4890817503277156,
                    -0.08984350022697435,
                    -0.8419736541926907
                }),
                Arguments.of("reciprocal", (UnaryOperator<Expr>) Expr::reciprocal, new double[] {
                    1.6,
                    -0.8,
                    -0.24,
                    -0.32,
                    0.31612223393045313,
                    0.0737618545837724,
                    -0.15999999999999998,
                    0.8799999999999999
                }),
                Arguments.of("sigmoid", (UnaryOperator<Expr>) Expr::sigmoid, new double[] {
                    0.6242751644199612,
                    0.05900296431450802,
                    -0.04984258297024424,
                    0.234807340416369,
                    0.96239884878484,
                    -0.029735399883112544,
                    0.4316885816704354,
                    -0.30237830305147567
                }),
                Arguments.of("rsqrt", (UnaryOperator<Expr>) Expr::rsqrt, new double[] {
                    1.3017016520692888,
                    -0.30729007631213195,
                    0.282842712474619,
                    -0.565685424949238,
                    0.5660105875825341,
                    0.06515943005484562,
                    0.6059815141569567,
                    0.7260947565572677
                }),
                Arguments.of("sign", (UnaryOperator<Expr>) Expr::sign, new double[] {
                    0.8944271909999159,
                    0.4472135954999579,
                    -0.6,
                    0.8,
                    0.9738412097417932,
                    -0.2272296156064184,
                    -0.17888543819998318,
                    -0.9838699100999074
                }),
                Arguments.of("square", (UnaryOperator<Expr>) Expr::square, new double[] {
                    0.1875, 0.25, -1.75, -6.0, 8.51, -4.199999999999999, -1.1700000000000002, 0.44000000000000006
                }));
    }

    @Test
    void partsModulusAndAngle() {
        Expr z = Expr.input(0, DType.C128);
        Tensor x = tensor(DType.C128, 3, -4, 0, 0, -1, 0);
        assertEquals(5, Evaluation.run(z.abs(), x).getDouble(0));
        assertEquals(0, Evaluation.run(z.abs(), x).getDouble(1));
        assertEquals(Math.PI, Evaluation.run(z.angle(), x).getDouble(2));
        assertEquals(-4, Evaluation.run(z.imag(), x).getDouble(0));
        assertEquals(4, Evaluation.run(z.conj().imag(), x).getDouble(0));
        assertEquals(3, Evaluation.run(z, x).as(DType.F64, Shape.of(3, 2)).getDouble(0));
        assertEquals(
                1, Evaluation.run(z.equalTo(Expr.constant(DType.C128, -1)), x).getLong(2));
        assertEquals(0, Evaluation.run(z.sign().real(), x).getDouble(1));
    }

    @Test
    void powersAndQuotients() {
        Expr z = Expr.input(0, DType.C128), w = Expr.input(1, DType.C128);
        Tensor a = tensor(DType.C128, 1, 2, 0, 0, 1e200, 1e200), b = tensor(DType.C128, 3, -1, 2, 0, 1e200, -1e200);
        double[] q = parts(Evaluation.run(z.dividedBy(w), a, b));
        assertEquals(0.1, q[0], 1e-15); // (1 + 2i)(3 + i) / 10
        assertEquals(0.7, q[1], 1e-15);
        assertEquals(0, q[4], 1e-15); // no overflow
        assertEquals(1, q[5], 1e-15);
        double[] p = parts(Evaluation.run(z.pow(w), a, b));
        assertEquals(0, p[2]);
        assertEquals(-27.4363819916061, p[0], 1e-12); // (1 + 2i)^(3 - i), by mpmath
        assertEquals(19.7893103650107, p[1], 1e-12);
    }

    private static Tensor tensor(DType dtype, double... parts) {
        return Evaluation.tensor(dtype.real(), parts).as(dtype, Shape.of(parts.length / 2));
    }

    private static double[] parts(Tensor t) {
        return Evaluation.doubles(t.as(t.dtype().real(), Shape.of(2 * t.size())));
    }
}
