package dev.oxbow.kernels.expr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;
import java.util.Random;
import java.util.function.DoubleBinaryOperator;
import java.util.function.DoubleUnaryOperator;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class FunctionTest {
    private static final int SAMPLES = 4000;

    /** A function, its reference, the largest finite argument to try and the bounds in units of the last place. */
    record Case(
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

    static Stream<Case> cases() {
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
            double bound = dtype == DType.F32 ? c.ulps32 : c.ulps64;
            for (int i = 0; i < x.length; i++) {
                if (c.most < 1e14 && Math.abs(x[i]) > 1e14 && Double.isFinite(x[i]) && c.name.length() == 3) continue;
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

    record Case2(String name, java.util.function.BinaryOperator<Expr> f, DoubleBinaryOperator reference, double ulps) {
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

    static Stream<org.junit.jupiter.params.provider.Arguments> neighbours() {
        double[] v = {0, -0.0, 1, -1, 1.5, Double.POSITIVE_INFINITY, Double.NaN, Float.MIN_VALUE, -Float.MAX_VALUE};
        return java.util.stream.IntStream.range(0, v.length * v.length)
                .mapToObj(i -> org.junit.jupiter.params.provider.Arguments.of(v[i / v.length], v[i % v.length]));
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
