package dev.oxbow.kernels.expr;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.kernels.expr.compile.ElementwiseKernel;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.function.DoubleUnaryOperator;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Sweeps the bit patterns of f32, so that every exponent and both signs are met, against f64 references. */
final class AccuracyTest {
    private static final int BATCH = 1 << 16;

    record Case(String name, UnaryOperator<Expr> f, DoubleUnaryOperator reference, double ulps) {
        @Override
        public String toString() {
            return name;
        }
    }

    /** The bounds that {@link Expr} states. */
    static Stream<Case> cases() {
        Expr erf = Expr.input(0, DType.F64).erf();
        return Stream.of(
                new Case("exp", Expr::exp, StrictMath::exp, 1.5),
                new Case("expm1", Expr::expm1, StrictMath::expm1, 2),
                new Case("log", Expr::log, StrictMath::log, 1.5),
                new Case("log1p", Expr::log1p, StrictMath::log1p, 2),
                new Case("tanh", Expr::tanh, StrictMath::tanh, 3),
                new Case("sigmoid", Expr::sigmoid, x -> 1 / (1 + StrictMath.exp(-x)), 3),
                new Case(
                        "erf",
                        Expr::erf,
                        x -> Evaluation.run(erf, Tensor.scalar(x)).getDouble(0),
                        2),
                new Case("sin", Expr::sin, StrictMath::sin, 1),
                new Case("cos", Expr::cos, StrictMath::cos, 1));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void thousandsOfValuesOverTheWholeRangeAreWithinTheStatedBound(Case c) {
        sweep(c, 399_989);
    }

    @Tag("long")
    @ParameterizedTest
    @MethodSource("cases")
    void millionsOfValuesOverTheWholeRangeAreWithinTheStatedBound(Case c) {
        sweep(c, 499);
    }

    /** Every {@code step}-th bit pattern. */
    private static void sweep(Case c, int step) {
        ElementwiseKernel kernel = ElementwiseKernel.of(c.f.apply(Expr.input(0, DType.F32)));
        Tensor x = Tensor.allocate(DType.F32, Shape.of(BATCH)), y = Tensor.allocate(DType.F32, x.shape());
        double worst = 0;
        float at = 0;
        for (long bits = Integer.MIN_VALUE; bits <= Integer.MAX_VALUE; ) {
            int n = 0;
            for (; n < BATCH && bits <= Integer.MAX_VALUE; bits += step)
                Memory.putInt(x.address() + 4L * n++, (int) bits);
            kernel.run(Parallel.SERIAL, x.shape(), new Tensor[] {x}, new Tensor[] {y});
            for (int i = 0; i < n; i++) {
                float v = Memory.getFloat(x.address() + 4L * i);
                // Trigonometric arguments are reduced exactly up to 2^45.
                if (Math.abs(v) > 0x1p45 && (c.name.equals("sin") || c.name.equals("cos"))) continue;
                double error =
                        Evaluation.ulps(DType.F32, c.reference.applyAsDouble(v), Memory.getFloat(y.address() + 4L * i));
                if (error <= worst) continue;
                worst = error;
                at = v;
            }
        }
        assertTrue(worst <= c.ulps, c + " of " + at + " is off by " + worst);
    }
}
