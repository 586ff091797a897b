package dev.oxbow.testing.gradients;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.graph.Function;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.ControlFlow.Form;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.gradient.Gradients;
import dev.oxbow.runtime.Engine;
import dev.oxbow.runtime.Session;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.testing.Setting;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Gradients through branches, loops and calls of both forms against central differences. */
final class ControlFlowGradientsTest {
    private final Graph graph = new Graph();
    private final Ops ops = Ops.in(graph);

    @ParameterizedTest
    @EnumSource
    void throughABranch(Form form) {
        check(
                x -> ops.cond(
                                form,
                                x.greater(ops.constant(DType.F64, 0)),
                                () -> List.of(x.times(x).times(x)),
                                () -> List.of(x.sin().times(x.exp())))
                        .get(0),
                1.3,
                -0.7);
    }

    @ParameterizedTest
    @EnumSource
    void throughABranchThatUsesAValueOnOneSideOnly(Form form) {
        check(
                x -> {
                    Value y = x.exp();
                    return ops.cond(
                                    form,
                                    x.greater(ops.constant(DType.F64, 0)),
                                    () -> List.of(x.times(y)),
                                    () -> List.of(x.square()))
                            .get(0)
                            .times(y);
                },
                0.9,
                -1.1);
    }

    @ParameterizedTest
    @EnumSource
    void throughNestedBranches(Form form) {
        check(
                x -> ops.cond(
                                form,
                                x.greater(ops.constant(DType.F64, 0)),
                                () -> ops.cond(
                                        form,
                                        x.greater(ops.constant(DType.F64, 1)),
                                        () -> List.of(x.exp().times(x)),
                                        () -> List.of(x.square())),
                                () -> List.of(x.sin()))
                        .get(0),
                1.3,
                0.4,
                -0.7);
    }

    @ParameterizedTest
    @EnumSource
    void throughALoop(Form form) {
        check(x -> power(form, x, x, 4), 1.1, -0.6);
    }

    @ParameterizedTest
    @EnumSource
    void throughALoopThatNeverRuns(Form form) {
        check(x -> power(form, x, x, 0).times(x), 1.1);
    }

    @ParameterizedTest
    @EnumSource
    void throughALoopWhoseTripCountDependsOnTheInput(Form form) {
        check(
                x -> ops.whileLoop(
                                form,
                                v -> v.get(0).less(ops.constant(DType.F64, 10)),
                                v -> List.of(v.get(0).times(v.get(0)).plus(x)),
                                List.of(x))
                        .get(0),
                1.5,
                2.2);
    }

    @ParameterizedTest
    @EnumSource
    void throughNestedLoops(Form form) {
        check(x -> nested(form, x), 0.9, -1.2);
    }

    @ParameterizedTest
    @EnumSource
    void throughABranchInALoop(Form form) {
        check(
                x -> ops.whileLoop(
                                form,
                                v -> v.get(0).less(ops.constant(DType.I32, 5)),
                                v -> List.of(
                                        v.get(0).plus(1),
                                        ops.cond(
                                                        form,
                                                        v.get(1).greater(ops.constant(DType.F64, 1.5)),
                                                        () -> List.of(v.get(1)
                                                                .times(x)
                                                                .sin()),
                                                        () -> List.of(
                                                                v.get(1).exp().times(x)))
                                                .get(0)),
                                List.of(ops.constant(DType.I32, 0), x))
                        .get(1),
                0.8,
                1.3);
    }

    @ParameterizedTest
    @EnumSource
    void throughALoopInABranch(Form form) {
        check(
                x -> ops.cond(
                                form,
                                x.greater(ops.constant(DType.F64, 0)),
                                () -> List.of(power(form, x, x.sin(), 3)),
                                () -> List.of(x.times(2)))
                        .get(0),
                0.8,
                -0.5);
    }

    @ParameterizedTest
    @EnumSource
    void throughALoopInABranchInALoop(Form form) {
        check(
                x -> ops.whileLoop(
                                form,
                                v -> v.get(0).less(ops.constant(DType.I32, 4)),
                                v -> List.of(
                                        v.get(0).plus(1),
                                        ops.cond(
                                                        form,
                                                        v.get(1).greater(ops.constant(DType.F64, 1)),
                                                        () -> List.of(power(
                                                                form, v.get(1).sin(), x, 2)),
                                                        () -> List.of(v.get(1)
                                                                .times(x)
                                                                .plus(x)))
                                                .get(0)),
                                List.of(ops.constant(DType.I32, 0), x))
                        .get(1),
                0.8,
                1.3);
    }

    @ParameterizedTest
    @EnumSource
    void loopsOfVectorsWithMatrices(Form form) {
        Value x = ops.placeholder("x", DType.F64, Shape.of(2, 2));
        Value y = ops.whileLoop(
                        form,
                        v -> v.get(0).less(ops.constant(DType.I32, 3)),
                        v -> List.of(v.get(0).plus(1), v.get(1).matMul(x).tanh()),
                        List.of(ops.constant(DType.I32, 0), x))
                .get(1)
                .sum();
        checkElements(x, y, Gradients.of(y, x).get(0), 0.3, -0.2, 0.5, 0.7);
    }

    @ParameterizedTest
    @EnumSource
    void productsWithAWeightAreAddedUpAfterTheLoop(Form form) {
        for (int trips : new int[] {0, 1, 4}) {
            Value w = ops.placeholder("w", DType.F64, Shape.of(3, 3));
            Value y = recurrent(form, w, trips).square().sum();
            Value d = Gradients.of(y, w).get(0);
            assertTrue(graph.nodes().stream()
                    .anyMatch(n -> n.op().signature().name().equals("TensorListConcatV2")));
            checkElements(w, y, d, 0.3, -0.2, 0.5, 0.7, 0.1, -0.4, 0.2, 0.6, -0.1);
        }
    }

    /** The weight is used twice in an iteration, and once elsewhere in it and after the loop. */
    @ParameterizedTest
    @EnumSource
    void productsWithAWeightAreAddedToItsOtherUses(Form form) {
        Value w = ops.placeholder("w", DType.F64, Shape.of(3, 3));
        Value y = ops.whileLoop(
                        form,
                        v -> v.get(0).less(ops.constant(DType.I32, 3)),
                        v -> List.of(
                                v.get(0).plus(1),
                                v.get(1).matMul(w).tanh().matMul(w).plus(w.sin().sum(true, 0))),
                        List.of(ops.constant(DType.I32, 0), row()))
                .get(1)
                .matMul(w)
                .square()
                .sum();
        checkElements(w, y, Gradients.of(y, w).get(0), 0.3, -0.2, 0.5, 0.7, 0.1, -0.4, 0.2, 0.6, -0.1);
    }

    @ParameterizedTest
    @EnumSource
    void aSecondDerivativeThroughALoopOfProducts(Form form) {
        Value w = ops.placeholder("w", DType.F64, Shape.of(3, 3));
        Value d = Gradients.of(recurrent(form, w, 3).sum(), w).get(0).square().sum();
        checkElements(w, d, Gradients.of(d, w).get(0), 0.3, -0.2, 0.5, 0.7, 0.1, -0.4, 0.2, 0.6, -0.1);
    }

    private Value recurrent(Form form, Value w, int trips) {
        return ops.whileLoop(
                        form,
                        v -> v.get(0).less(ops.constant(DType.I32, trips)),
                        v -> List.of(v.get(0).plus(1), v.get(1).matMul(w).tanh()),
                        List.of(ops.constant(DType.I32, 0), row()))
                .get(1);
    }

    private Value row() {
        return ops.constant(Tensor.of(Shape.of(1, 3), new double[] {0.5, -0.3, 0.8}));
    }

    @Test
    void throughACall() {
        Function f = ops.function(
                "f",
                List.of(new TensorType(DType.F64, Shape.SCALAR), new TensorType(DType.F64, Shape.SCALAR)),
                v -> List.of(
                        v.get(0).sin().times(v.get(1)), v.get(0).times(v.get(1)).exp()));
        check(
                x -> {
                    List<Value> out = ops.call(f, x, x.square());
                    return out.get(0).times(out.get(1));
                },
                0.7,
                -0.4);
    }

    @ParameterizedTest
    @EnumSource
    void aSecondDerivativeThroughABranch(Form form) {
        checkSecond(
                x -> ops.cond(
                                form,
                                x.greater(ops.constant(DType.F64, 0)),
                                () -> List.of(x.times(x).times(x)),
                                () -> List.of(x.sin().times(x.exp())))
                        .get(0),
                1.3,
                -0.7);
    }

    @ParameterizedTest
    @EnumSource
    void aSecondDerivativeThroughALoop(Form form) {
        checkSecond(x -> power(form, x, x, 3), 1.1, -0.6);
    }

    @ParameterizedTest
    @EnumSource
    void aSecondDerivativeThroughNestedLoops(Form form) {
        checkSecond(x -> nested(form, x), 0.9);
    }

    @Test
    void aGradientInsideALoop() {
        check(
                x -> ops.whileLoop(
                                v -> v.get(0).less(ops.constant(DType.I32, 3)),
                                v -> {
                                    Value y = v.get(1).times(v.get(1)).times(v.get(1));
                                    return List.of(
                                            v.get(0).plus(1),
                                            Gradients.of(y, v.get(1)).get(0).times(0.2));
                                },
                                List.of(ops.constant(DType.I32, 0), x))
                        .get(1),
                1.1,
                0.4);
    }

    @Test
    void gradientsEndAtStopGradient() {
        Value x = ops.placeholder("x", DType.F64, Shape.SCALAR);
        Value d = Gradients.of(x.times(x.stopGradient()), x).get(0);
        assertEquals(3, at(d, x, 3));
    }

    @Test
    void aLoopIsDifferentiatedTwiceAlongDifferentPaths() {
        Value x = ops.placeholder("x", DType.F64, Shape.SCALAR), w = ops.placeholder("w", DType.F64, Shape.SCALAR);
        Value y = power(Form.FUNCTIONS, x, w, 3);
        Value dx = Gradients.of(y, x).get(0), dw = Gradients.of(y, w).get(0);
        try (Session s = Session.open(graph)) {
            List<Tensor> out = s.feed(x.edge(), Tensor.scalar(2.0))
                    .feed(w.edge(), Tensor.scalar(3.0))
                    .fetch(y.edge(), dx.edge(), dw.edge())
                    .run();
            assertEquals(54, out.get(0).getDouble(0));
            assertEquals(27, out.get(1).getDouble(0)); // w^3
            assertEquals(54, out.get(2).getDouble(0)); // 3 x w^2
        }
    }

    @Test
    void aBranchOfDifferentTypesIsRejected() {
        Value x = ops.placeholder("x", DType.F64, Shape.SCALAR);
        var e = assertThrows(
                OxbowException.class,
                () -> ops.cond(
                        x.greater(ops.constant(DType.F64, 0)),
                        () -> List.of(x),
                        () -> List.of(ops.constant(DType.I32, 1))));
        assertEquals("cond: result 0 is f64[] in one branch and i32[] in the other", e.getMessage());
    }

    @Test
    void aBodyThatChangesADtypeIsRejected() {
        Value x = ops.placeholder("x", DType.F64, Shape.SCALAR);
        var e = assertThrows(
                OxbowException.class,
                () -> ops.whileLoop(
                        v -> v.get(0).less(ops.constant(DType.F64, 10)),
                        v -> List.of(v.get(0).cast(DType.F32)),
                        List.of(x)));
        assertEquals("while: loop variable 0 is f64[], the body makes it f32[]", e.getMessage());
    }

    /** {@code x * w^n} by a loop. */
    private Value power(Form form, Value x, Value w, int n) {
        return ops.whileLoop(
                        form,
                        v -> v.get(0).less(ops.constant(DType.I32, n)),
                        v -> List.of(v.get(0).plus(1), v.get(1).times(w)),
                        List.of(ops.constant(DType.I32, 0), x))
                .get(1);
    }

    private Value nested(Form form, Value x) {
        return ops.whileLoop(
                        form,
                        v -> v.get(0).less(ops.constant(DType.I32, 3)),
                        v -> List.of(
                                v.get(0).plus(1),
                                ops.whileLoop(
                                                form,
                                                u -> u.get(0).less(v.get(0)),
                                                u -> List.of(
                                                        u.get(0).plus(1),
                                                        u.get(1)
                                                                .times(v.get(1))
                                                                .sin()
                                                                .plus(x)),
                                                List.of(ops.constant(DType.I32, -1), v.get(1)))
                                        .get(1)),
                        List.of(ops.constant(DType.I32, 0), x.times(0.5)))
                .get(1);
    }

    private void check(UnaryOperator<Value> f, double... points) {
        Value x = ops.placeholder("x", DType.F64, Shape.SCALAR);
        Value y = f.apply(x);
        compare(x, y, Gradients.of(y, x).get(0), points);
    }

    private void checkSecond(UnaryOperator<Value> f, double... points) {
        Value x = ops.placeholder("x", DType.F64, Shape.SCALAR);
        Value dy = Gradients.of(f.apply(x), x).get(0);
        compare(x, dy, Gradients.of(dy, x).get(0), points);
    }

    private void compare(Value x, Value y, Value d, double... points) {
        for (Setting setting : List.of(Setting.PLAIN, Setting.FOREIGN_MEMORY, Setting.TWO_KINDS_OF_DEVICE)) {
            try (Engine engine = setting.engine();
                    Session s = Session.open(graph, engine, setting.options())) {
                for (double p : points) compare(s, x, y, d, p);
            }
        }
    }

    private static void compare(Session s, Value x, Value y, Value d, double p) {
        double h = 1e-5, slope = (run(s, x, y, p + h) - run(s, x, y, p - h)) / (2 * h);
        assertEquals(slope, run(s, x, d, p), 1e-6 * Math.max(1, Math.abs(slope)), () -> "at " + p);
    }

    private void checkElements(Value x, Value y, Value d, double... at) {
        double h = 1e-5;
        try (Session s = Session.open(graph)) {
            double[] found = s.feed(x.edge(), Tensor.of(x.shape(), at))
                    .fetch(d.edge())
                    .run()
                    .get(0)
                    .doubles();
            for (int i = 0; i < at.length; i++) {
                double[] up = at.clone(), down = at.clone();
                up[i] += h;
                down[i] -= h;
                double slope = (run(s, x, y, up) - run(s, x, y, down)) / (2 * h);
                assertEquals(slope, found[i], 1e-6);
            }
        }
    }

    private static double run(Session s, Value x, Value y, double... at) {
        Tensor t = x.shape().isScalar() ? Tensor.scalar(at[0]) : Tensor.of(x.shape(), at);
        return s.feed(x.edge(), t).fetch(y.edge()).run().get(0).getDouble(0);
    }

    private double at(Value y, Value x, double value) {
        try (Session s = Session.open(graph)) {
            assertTrue(y.shape().isScalar());
            return run(s, x, y, value);
        }
    }
}
