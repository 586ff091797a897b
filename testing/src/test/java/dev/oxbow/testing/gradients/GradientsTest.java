package dev.oxbow.testing.gradients;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.graph.Graph;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Slices;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.gradient.Gradients;
import dev.oxbow.ops.random.StatelessParameterizedTruncatedNormal;
import dev.oxbow.runtime.Session;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class GradientsTest {
    private final Graph graph = new Graph();
    private final Ops ops = Ops.in(graph);

    /** TensorFlow 2.21's numbers. */
    @Test
    void truncatedNormalNumbersFollowTheirParameters() {
        Value mean = ops.constant(Tensor.of(Shape.of(2), 0.5, -1.0)),
                deviation = ops.constant(Tensor.of(Shape.of(2, 1), 2.0, 0.5)),
                low = ops.constant(Tensor.scalar(-1.5)),
                high = ops.constant(Tensor.scalar(3.0));
        Value y = Value.apply(
                new StatelessParameterizedTruncatedNormal(),
                ops.constant(Tensor.of(Shape.of(3), 3, 2, 2)),
                ops.constant(Tensor.of(Shape.of(2), 7, 8)),
                mean,
                deviation,
                low,
                high);
        List<Value> d = Gradients.of(y.times(y).sum(), mean, deviation, low, high);
        double[][] wanted = {
            {0.428383374292296, -2.387142531219938},
            {6.828562785408176, -0.6302044286045511},
            {-4.141855142238181},
            {0.8127418770337038}
        };
        try (Session s = Session.open(graph)) {
            for (int i = 0; i < wanted.length; i++)
                assertArrayEquals(
                        wanted[i], s.fetch(d.get(i).edge()).run().get(0).doubles(), 1e-9);
        }
    }

    @Test
    void aProductOfMatricesHasTheGradientsOfTheTextbook() {
        Value x = ops.placeholder("x", DType.F32, Shape.of(2, 3)), w = ops.placeholder("w", DType.F32, Shape.of(3, 2));
        List<Value> d = Gradients.of(x.matMul(w).sum(), x, w);
        try (Session s = Session.open(graph)) {
            List<Tensor> out = s.run(
                    Map.of(
                            "x:0", Tensor.of(Shape.of(2, 3), 1f, 2, 3, 4, 5, 6),
                            "w:0", Tensor.of(Shape.of(3, 2), 1f, -1, 2, -2, 3, 5)),
                    List.of(d.get(0).edge().name(), d.get(1).edge().name()),
                    List.of());
            assertArrayEquals(new float[] {0, 0, 8, 0, 0, 8}, out.get(0).floats());
            assertArrayEquals(new float[] {5, 5, 7, 7, 9, 9}, out.get(1).floats());
        }
    }

    @Test
    void gradientsCanBeDifferentiatedAgain() {
        Value x = ops.placeholder("x", DType.F64, Shape.SCALAR);
        Value y = x.times(x).times(x);
        Value dy = Gradients.of(y, x).get(0);
        Value ddy = Gradients.of(dy, x).get(0);
        Value dddy = Gradients.of(ddy, x).get(0);
        assertEquals(27, at(dy, x, 3));
        assertEquals(18, at(ddy, x, 3));
        assertEquals(6, at(dddy, x, 3));
    }

    @Test
    void whatIsNotConnectedHasNoGradient() {
        Value x = ops.placeholder("x", DType.F32, Shape.SCALAR), y = ops.placeholder("y", DType.F32, Shape.SCALAR);
        assertNull(Gradients.of(x.times(2), y).get(0));
    }

    @Test
    void anIntermediateValueHasAGradientToo() {
        Value x = ops.placeholder("x", DType.F64, Shape.SCALAR);
        Value u = x.times(x);
        List<Value> d = Gradients.of(u.times(u), u, x);
        assertEquals(18, at(d.get(0), x, 3)); // 2u
        assertEquals(108, at(d.get(1), x, 3)); // 4x^3
    }

    @Test
    void gatheredRowsHaveASparseGradientThatBecomesDenseWhenUsed() {
        Value x = ops.placeholder("x", DType.F32, Shape.of(3, 2));
        Value some = ops.constant(new int[] {2, 0, 2});
        Value y = x.gather(some, 0)
                .sum()
                .plus(x.gather(ops.constant(new int[] {1}), 0).times(5).sum());
        Value d = Gradients.of(y, x).get(0);
        Slices slices = assertInstanceOf(Slices.class, d);
        try (Session s = Session.open(graph)) {
            List<Tensor> out = s.feed(x.edge(), Tensor.zeros(DType.F32, Shape.of(3, 2)))
                    .fetch(slices.indices().edge(), d.edge())
                    .run();
            assertEquals(4, out.get(0).size());
            assertArrayEquals(new float[] {1, 1, 5, 5, 2, 2}, out.get(1).floats());
        }
    }

    @Test
    void rowsOfAVariableOfKnownShapeHaveASparseGradientOfKnownShape() {
        Parameter table = Parameter.of("table", ops.constant(Tensor.zeros(DType.F32, Shape.of(5, 2))));
        Value rows = Value.apply(
                Ops.named("ResourceGather", Map.of("dtype", DType.F32)),
                table.handle(),
                ops.constant(Tensor.of(Shape.of(2, 2), 4, 0, 4, 1)));
        Value weights = ops.constant(Tensor.of(Shape.of(2, 2, 2), 1f, 2, 3, 4, 5, 6, 7, 8));
        Slices d = assertInstanceOf(
                Slices.class,
                Gradients.of(rows.times(weights).sum(), table.handle()).get(0));
        assertEquals(Shape.of(4, 2), d.values().shape());
        try (Session s = Session.open(graph)) {
            s.target(table.initialiser()).run();
            Tensor dense = s.fetch(d.edge()).run().get(0);
            assertArrayEquals(new float[] {3, 4, 7, 8, 0, 0, 0, 0, 6, 8}, dense.floats());
        }
    }

    @Test
    void aRectifierBelowAMaximumOverWindowsHasTheGradientOfOneAfterTheOther() {
        Shape shape = Shape.of(2, 7, 6, 3);
        Value x = ops.placeholder("x", DType.F32, shape), y = x.relu();
        Map<String, Object> windows =
                Map.of("ksize", List.of(1L, 3L, 3L, 1L), "strides", List.of(1L, 2L, 2L, 1L), "padding", "SAME");
        Value largest = Value.apply(Ops.named("MaxPool", windows), y);
        Value d = Gradients.of(largest.square().sum(), x).get(0);
        Value spread = Value.apply(Ops.named("MaxPoolGrad", windows), y, largest, largest.times(2));
        Value expected = Value.apply(Ops.named("ReluGrad", Map.of()), spread, y);
        Random random = new Random(3);
        Tensor t = Tensor.zeros(DType.F32, shape);
        for (long i = 0; i < t.size(); i++) t.set(i, random.nextInt(9) - 6); // windows without a positive element, too
        try (Session s = Session.open(graph)) {
            List<Tensor> out = s.feed(x.edge(), t)
                    .fetch(d.edge(), expected.edge(), spread.edge()) // what is fetched is masked where it is
                    .run();
            assertArrayEquals(out.get(1).floats(), out.get(0).floats());
        }
    }

    @Test
    void biasAndRectifierBelowAMaximumOverWindowsHaveTheSameGradientsWhicheverComesFirst() {
        Shape shape = Shape.of(16, 8, 6, 19);
        Value x = ops.placeholder("x", DType.F32, shape), b = ops.placeholder("b", DType.F32, Shape.of(19));
        Value y = Value.apply(Ops.named("BiasAdd", Map.of()), x, b).relu();
        for (long size : new long[] {2, 3}) { // windows side by side, whose gradient is computed in place, and others
            Map<String, Object> windows =
                    Map.of("ksize", List.of(1L, size, size, 1L), "strides", List.of(1L, 2L, 2L, 1L), "padding", "SAME");
            Value z = Value.apply(Ops.named("MaxPool", windows), y);
            List<Value> d = Gradients.of(z.square().sum(), x, b);
            Value spread = Value.apply(Ops.named("MaxPoolGrad", windows), y, z, z.times(2));
            Value masked = Value.apply(Ops.named("ReluGrad", Map.of()), spread, y);
            Value summed = Value.apply(Ops.named("BiasAddGrad", Map.of()), masked);
            Random random = new Random(size);
            Tensor t = Tensor.zeros(DType.F32, shape), bias = Tensor.zeros(DType.F32, Shape.of(19));
            for (long i = 0; i < t.size(); i++) t.set(i, random.nextInt(9) - 6); // sums are exact in any order
            for (long i = 0; i < bias.size(); i++) bias.set(i, random.nextInt(5) - 2);
            try (Session s = Session.open(graph)) {
                List<Tensor> expected = s.feed(x.edge(), t)
                        .feed(b.edge(), bias)
                        .fetch(z.edge(), masked.edge(), summed.edge(), y.edge(), spread.edge())
                        .run();
                for (int run = 0; run < 3; run++) { // without a plan and with one
                    List<Tensor> out = s.feed(x.edge(), t)
                            .feed(b.edge(), bias)
                            .fetch(z.edge(), d.get(0).edge(), d.get(1).edge())
                            .run();
                    for (int i = 0; i < 3; i++)
                        assertArrayEquals(expected.get(i).floats(), out.get(i).floats());
                }
            }
        }
    }

    @Test
    void aMissingGradientNamesTheNodeAndItsOp() {
        Value x = ops.placeholder("x", DType.F64, Shape.of(2));
        Value y = Value.apply(new Opaque(), x);
        var e = assertThrows(OxbowException.class, () -> Gradients.of(y, x));
        assertEquals(ErrorCode.UNIMPLEMENTED, e.code());
        assertEquals("its gradient is not written", e.text());
        assertEquals("Opaque", e.op());
        assertEquals("Opaque", e.node());
    }

    @Signature("Opaque(x: T) -> (y: T) {T: type}")
    private record Opaque() implements Op {
        @Override
        public List<TensorType> infer(InferenceContext c) {
            return List.of(c.input(0));
        }

        @Override
        public Kernel cpu() {
            return c -> c.forward(0, 0);
        }
    }

    @Test
    void aHundredThousandNodesAreDifferentiatedInSeconds() {
        Value x = ops.placeholder("x", DType.F64, Shape.SCALAR), y = x;
        for (int i = 0; i < 100_000; i++) y = y.plus(x);
        long start = System.nanoTime();
        Value d = Gradients.of(y, x).get(0);
        long millis = (System.nanoTime() - start) / 1_000_000;
        assertTrue(millis < 20_000, () -> millis + " ms");
        assertEquals(Shape.SCALAR, d.shape());
    }

    private double at(Value y, Value x, double value) {
        try (Session s = Session.open(graph)) {
            return s.feed(x.edge(), Tensor.scalar(value))
                    .fetch(y.edge())
                    .run()
                    .get(0)
                    .getDouble(0);
        }
    }
}
