package dev.oxbow.kernels.expr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;
import java.util.List;
import java.util.Random;
import java.util.function.BinaryOperator;
import java.util.function.DoubleBinaryOperator;
import java.util.function.DoubleUnaryOperator;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

public final class FunctionTest {
    private static final int SAMPLES = 4000;

    /** A function, its reference, the largest finite argument to try and the bounds in units of the last place. */
    public record Case(
            String name,
            UnaryOperator<Expr> f,
            DoubleUnaryOperator reference,
            double most,
            double ulps32,
            double ulps64) {
        @Override
        public String toString() {
            return name;
        }
    }

    public static Stream<Case> cases() {
        return Stream.of(
                new Case("exp", Expr::exp, StrictMath::exp, 1000, 1, 1.5),
                new Case("expm1", Expr::expm1, StrictMath::expm1, 1000, 1.5, 2),
                new Case("log", Expr::log, StrictMath::log, 1e30, 1, 2),
                new Case("log1p", Expr::log1p, StrictMath::log1p, 1e30, 1.5, 2),
                new Case("sigmoid", Expr::sigmoid, x -> 1 / (1 + StrictMath.exp(-x)), 80, 3, 3),
                new Case("tanh", Expr::tanh, StrictMath::tanh, 100, 3, 4),
                new Case("sinh", Expr::sinh, StrictMath::sinh, 700, 4, 4),
                new Case("cosh", Expr::cosh, StrictMath::cosh, 700, 4, 4),
                new Case("asinh", Expr::asinh, FunctionTest::asinh, 1e30, 4, 6),
                new Case("acosh", Expr::acosh, FunctionTest::acosh, 1e30, 4, 6),
                new Case("atanh", Expr::atanh, FunctionTest::atanh, 2, 4, 6),
                new Case("sin", Expr::sin, StrictMath::sin, 1e12, 1, 2),
                new Case("cos", Expr::cos, StrictMath::cos, 1e12, 1, 2),
                new Case("tan", Expr::tan, StrictMath::tan, 1e12, 1, 4),
                new Case("asin", Expr::asin, StrictMath::asin, 1.5, 1, 3),
                new Case("acos", Expr::acos, StrictMath::acos, 1.5, 1, 3),
                new Case("atan", Expr::atan, StrictMath::atan, 1e30, 1, 3),
                new Case("sqrt", Expr::sqrt, StrictMath::sqrt, 1e30, 0.5, 0),
                new Case("rsqrt", Expr::rsqrt, x -> 1 / StrictMath.sqrt(x), 1e30, 1.5, 0),
                new Case("floor", Expr::floor, StrictMath::floor, 1e18, 0, 0),
                new Case("ceil", Expr::ceil, StrictMath::ceil, 1e18, 0, 0),
                new Case("round", Expr::round, StrictMath::rint, 1e18, 0, 0),
                new Case(
                        "truncated",
                        Expr::truncated,
                        x -> x < 0 ? StrictMath.ceil(x) : StrictMath.floor(x),
                        1e18,
                        0,
                        0));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void agreesWithTheReferenceInF32AndF64(Case c) {
        for (DType dtype : new DType[] {DType.F32, DType.F64}) {
            double[] x = Evaluation.samples(dtype, new Random(7), c.most, SAMPLES);
            Tensor y = Evaluation.run(c.f.apply(Expr.input(0, dtype)), Evaluation.tensor(dtype, x));
            boolean isTrigonometric = List.of("sin", "cos", "tan").contains(c.name);
            double bound = dtype == DType.F32 ? c.ulps32 : c.ulps64;
            for (int i = 0; i < x.length; i++) {
                if (isTrigonometric && Double.isFinite(x[i]) && Math.abs(x[i]) > 0x1p45) continue;
                double wanted = c.reference.applyAsDouble(x[i]), got = y.getDouble(i);
                double ulps = Evaluation.ulps(dtype, wanted, got);
                assertTrue(
                        ulps <= bound, c + " " + dtype + " of " + x[i] + ": " + got + " not " + wanted + ", " + ulps);
                if (wanted == 0 && got == 0 && dtype == DType.F64) {
                    assertEquals(Math.copySign(1, wanted), Math.copySign(1, got), c + " sign of zero at " + x[i]);
                }
            }
        }
    }

    @ParameterizedTest(name = "{0} of {2}")
    @MethodSource("exact")
    void agreesWithFortyDigitArithmeticInF64(String name, UnaryOperator<Expr> f, double x, double wanted) {
        double got = Evaluation.run(f.apply(Expr.input(0, DType.F64)), Tensor.scalar(x))
                .getDouble(0);
        double ulps = Evaluation.ulps(DType.F64, wanted, got);
        assertTrue(ulps <= 4, () -> name + " of " + x + ": " + got + " not " + wanted + ", " + ulps);
    }

    /** Computed with 40 digits by mpmath 1.3. */
    static Stream<Arguments> exact() {
        return Stream.of(
                Arguments.of("asinh", (UnaryOperator<Expr>) Expr::asinh, 1e-09, 1e-09),
                Arguments.of("asinh", (UnaryOperator<Expr>) Expr::asinh, 0.01, 0.009999833340832888),
                Arguments.of("asinh", (UnaryOperator<Expr>) Expr::asinh, 0.3, 0.29567304756342244),
                Arguments.of("asinh", (UnaryOperator<Expr>) Expr::asinh, -1.7, -1.300820426840647),
                Arguments.of("asinh", (UnaryOperator<Expr>) Expr::asinh, 25.0, 3.9124227656412556),
                Arguments.of("asinh", (UnaryOperator<Expr>) Expr::asinh, 1000000.0, 14.50865773852447),
                Arguments.of("asinh", (UnaryOperator<Expr>) Expr::asinh, 300000000.0, 20.21244021318042),
                Arguments.of("asinh", (UnaryOperator<Expr>) Expr::asinh, -1e+20, -46.74484904044086),
                Arguments.of("acosh", (UnaryOperator<Expr>) Expr::acosh, 1.0000001, 0.0004472135919037347),
                Arguments.of("acosh", (UnaryOperator<Expr>) Expr::acosh, 1.01, 0.14130376948564863),
                Arguments.of("acosh", (UnaryOperator<Expr>) Expr::acosh, 1.7, 1.123230982587296),
                Arguments.of("acosh", (UnaryOperator<Expr>) Expr::acosh, 25.0, 3.9116227652145885),
                Arguments.of("acosh", (UnaryOperator<Expr>) Expr::acosh, 1000000.0, 14.508657738523969),
                Arguments.of("acosh", (UnaryOperator<Expr>) Expr::acosh, 300000000.0, 20.21244021318042),
                Arguments.of("acosh", (UnaryOperator<Expr>) Expr::acosh, 1e+20, 46.74484904044086),
                Arguments.of("atanh", (UnaryOperator<Expr>) Expr::atanh, 1e-09, 1e-09),
                Arguments.of("atanh", (UnaryOperator<Expr>) Expr::atanh, 0.01, 0.010000333353334763),
                Arguments.of("atanh", (UnaryOperator<Expr>) Expr::atanh, 0.3, 0.3095196042031117),
                Arguments.of("atanh", (UnaryOperator<Expr>) Expr::atanh, -0.77, -1.0203277583223398),
                Arguments.of("atanh", (UnaryOperator<Expr>) Expr::atanh, 0.9999, 4.951718775643099),
                Arguments.of("atanh", (UnaryOperator<Expr>) Expr::atanh, -0.9999999, -8.40562139102231),
                Arguments.of("sigmoid", (UnaryOperator<Expr>) Expr::sigmoid, -700.0, 9.85967654375977e-305),
                Arguments.of("sigmoid", (UnaryOperator<Expr>) Expr::sigmoid, -30.0, 9.357622968839299e-14),
                Arguments.of("sigmoid", (UnaryOperator<Expr>) Expr::sigmoid, -1.3, 0.2141650169574414),
                Arguments.of("sigmoid", (UnaryOperator<Expr>) Expr::sigmoid, 0.0, 0.5),
                Arguments.of("sigmoid", (UnaryOperator<Expr>) Expr::sigmoid, 0.7, 0.668187772168166),
                Arguments.of("sigmoid", (UnaryOperator<Expr>) Expr::sigmoid, 9.0, 0.9998766054240138),
                Arguments.of("sigmoid", (UnaryOperator<Expr>) Expr::sigmoid, 40.0, 1.0),
                Arguments.of("tanh", (UnaryOperator<Expr>) Expr::tanh, 1e-09, 1e-09),
                Arguments.of("tanh", (UnaryOperator<Expr>) Expr::tanh, 0.01, 0.00999966667999946),
                Arguments.of("tanh", (UnaryOperator<Expr>) Expr::tanh, -0.3, -0.2913126124515909),
                Arguments.of("tanh", (UnaryOperator<Expr>) Expr::tanh, 0.9, 0.7162978701990245),
                Arguments.of("tanh", (UnaryOperator<Expr>) Expr::tanh, 5.0, 0.9999092042625951),
                Arguments.of("tanh", (UnaryOperator<Expr>) Expr::tanh, -19.0, -0.9999999999999999),
                Arguments.of("expm1", (UnaryOperator<Expr>) Expr::expm1, 1e-09, 1.0000000005000001e-09),
                Arguments.of("expm1", (UnaryOperator<Expr>) Expr::expm1, -0.01, -0.009950166250831947),
                Arguments.of("expm1", (UnaryOperator<Expr>) Expr::expm1, 0.3, 0.3498588075760031),
                Arguments.of("expm1", (UnaryOperator<Expr>) Expr::expm1, -0.4, -0.32967995396436073),
                Arguments.of("expm1", (UnaryOperator<Expr>) Expr::expm1, 1.0, 1.7182818284590453),
                Arguments.of("expm1", (UnaryOperator<Expr>) Expr::expm1, -5.0, -0.9932620530009145),
                Arguments.of("expm1", (UnaryOperator<Expr>) Expr::expm1, 50.0, 5.184705528587072e+21),
                Arguments.of("log1p", (UnaryOperator<Expr>) Expr::log1p, 1e-09, 9.999999995e-10),
                Arguments.of("log1p", (UnaryOperator<Expr>) Expr::log1p, -0.01, -0.010050335853501442),
                Arguments.of("log1p", (UnaryOperator<Expr>) Expr::log1p, 0.3, 0.26236426446749106),
                Arguments.of("log1p", (UnaryOperator<Expr>) Expr::log1p, -0.9, -2.302585092994046),
                Arguments.of("log1p", (UnaryOperator<Expr>) Expr::log1p, 5.0, 1.791759469228055),
                Arguments.of("log1p", (UnaryOperator<Expr>) Expr::log1p, 10000000000.0, 23.025850930040455),
                Arguments.of("erf", (UnaryOperator<Expr>) Expr::erf, 1e-09, 1.1283791670955127e-09),
                Arguments.of("erf", (UnaryOperator<Expr>) Expr::erf, 0.3, 0.3286267594591274),
                Arguments.of("erf", (UnaryOperator<Expr>) Expr::erf, -0.99, -0.8385080695553698),
                Arguments.of("erf", (UnaryOperator<Expr>) Expr::erf, 1.2, 0.9103139782296353),
                Arguments.of("erf", (UnaryOperator<Expr>) Expr::erf, 3.0, 0.9999779095030014),
                Arguments.of("sin", (UnaryOperator<Expr>) Expr::sin, 1000000.0, -0.34999350217129294),
                Arguments.of("sin", (UnaryOperator<Expr>) Expr::sin, 1000000000000.0, -0.6112387023768895),
                Arguments.of("sin", (UnaryOperator<Expr>) Expr::sin, 3.14159265358979, 3.2310891488651735e-15),
                Arguments.of("sin", (UnaryOperator<Expr>) Expr::sin, 22.0, -0.008851309290403876),
                Arguments.of("cos", (UnaryOperator<Expr>) Expr::cos, 1000000.0, 0.9367521275331447),
                Arguments.of("cos", (UnaryOperator<Expr>) Expr::cos, 1000000000000.0, 0.7914463018528902),
                Arguments.of("cos", (UnaryOperator<Expr>) Expr::cos, 1.5707963267948966, 6.123233995736766e-17),
                Arguments.of("cos", (UnaryOperator<Expr>) Expr::cos, 11.0, 0.004425697988050785),
                Arguments.of("tan", (UnaryOperator<Expr>) Expr::tan, 1000000.0, -0.373624453987599),
                Arguments.of("tan", (UnaryOperator<Expr>) Expr::tan, 1000000000000.0, -0.7723059681318761),
                Arguments.of("tan", (UnaryOperator<Expr>) Expr::tan, 1.5707963267948966, 1.633123935319537e+16),
                Arguments.of("tan", (UnaryOperator<Expr>) Expr::tan, 11.0, -225.95084645419513));
    }

    public record Case2(String name, BinaryOperator<Expr> f, DoubleBinaryOperator reference, double ulps) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Case2> binaries() {
        return Stream.of(
                new Case2("pow", Expr::pow, FunctionTest::pow, 1),
                new Case2("atan2", Expr::atan2, StrictMath::atan2, 3),
                new Case2("fmod", Expr::truncateMod, (x, y) -> x % y, 0.5),
                new Case2("max", Expr::max, Math::max, 0),
                new Case2("min", Expr::min, Math::min, 0));
    }

    @ParameterizedTest
    @MethodSource("binaries")
    void agreesWithTheReferenceForEveryPairOfSpecialValues(Case2 c) {
        for (DType dtype : new DType[] {DType.F32, DType.F64}) {
            double[] s = Evaluation.samples(dtype, new Random(3), 50, 70);
            double[] x = new double[s.length * s.length], y = new double[x.length];
            for (int i = 0; i < x.length; i++) {
                x[i] = s[i / s.length];
                y[i] = s[i % s.length];
            }
            Expr e = c.f.apply(Expr.input(0, dtype), Expr.input(1, dtype));
            Tensor z = Evaluation.run(e, Evaluation.tensor(dtype, x), Evaluation.tensor(dtype, y));
            for (int i = 0; i < x.length; i++) {
                double wanted = c.reference.applyAsDouble(x[i], y[i]),
                        ulps = Evaluation.ulps(dtype, wanted, z.getDouble(i));
                String what = c + " " + dtype + " of " + x[i] + ", " + y[i] + ": " + z.getDouble(i) + " not " + wanted;
                assertTrue(ulps <= c.ulps, what);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("neighbours")
    void nextAfterStepsToTheNeighbour(double x, double y) {
        Tensor z = Evaluation.run(
                Expr.input(0, DType.F64).nextAfter(Expr.input(1, DType.F64)), Tensor.scalar(x), Tensor.scalar(y));
        assertEquals(Math.nextAfter(x, y), z.getDouble(0));
        Tensor f = Evaluation.run(
                Expr.input(0, DType.F32).nextAfter(Expr.input(1, DType.F32)),
                Tensor.scalar((float) x),
                Tensor.scalar((float) y));
        assertEquals(Math.nextAfter((float) x, (double) (float) y), (float) f.getDouble(0));
    }

    static Stream<Arguments> neighbours() {
        double[] v = {0, -0.0, 1, -1, 1.5, Double.POSITIVE_INFINITY, Double.NaN, Float.MIN_VALUE, -Float.MAX_VALUE};
        return IntStream.range(0, v.length * v.length).mapToObj(i -> Arguments.of(v[i / v.length], v[i % v.length]));
    }

    private static double asinh(double x) {
        double m = Math.abs(x);
        if (m > 1e9) return Math.copySign(StrictMath.log(m) + StrictMath.log(2), x);
        return Math.copySign(StrictMath.log1p(m + m * m / (1 + StrictMath.sqrt(1 + m * m))), x);
    }

    /** C differs from Java in two cases. */
    private static double pow(double x, double y) {
        return x == 1 || x == -1 && Double.isInfinite(y) ? 1 : StrictMath.pow(x, y);
    }

    private static double acosh(double x) {
        double t = x - 1;
        if (x < 1) return Double.NaN;
        if (x > 1e9) return StrictMath.log(x) + StrictMath.log(2);
        return StrictMath.log1p(t + StrictMath.sqrt(2 * t + t * t));
    }

    private static double atanh(double x) {
        return Math.copySign(0.5 * StrictMath.log1p(2 * Math.abs(x) / (1 - Math.abs(x))), x);
    }
}
