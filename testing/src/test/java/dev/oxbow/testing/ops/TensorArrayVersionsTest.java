package dev.oxbow.testing.ops;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.OpRegistry;
import dev.oxbow.graph.core.Const;
import dev.oxbow.graph.core.Identity;
import dev.oxbow.graph.core.Placeholder;
import dev.oxbow.ops.Value;
import dev.oxbow.runtime.Session;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.testing.GradientChecker;
import dev.oxbow.testing.Setting;
import dev.oxbow.testing.samples.Sample;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The first two generations of tensor arrays, which TensorFlow runs only in graphs of its own first years. */
final class TensorArrayVersionsTest {
    private final Graph graph = new Graph();

    @ParameterizedTest
    @ValueSource(strings = {"", "V2"})
    void elementsAreWrittenReadAndCounted(String v) {
        Edge a = array(v, 2), flow = flow();
        flow = add("TensorArrayWrite" + v, Map.of(), a, number(0), vector(1, 2), flow);
        flow = add("TensorArrayWrite" + v, Map.of(), a, number(1), vector(3, 4), flow);
        Edge read = add("TensorArrayRead" + v, Map.of("dtype", DType.F32), a, number(1), flow);
        Edge size = add("TensorArraySize" + v, Map.of(), a, flow);
        List<Tensor> out = run(read, size);
        assertArrayEquals(new float[] {3, 4}, out.get(0).floats());
        assertArrayEquals(new int[] {2}, out.get(1).ints());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "V2"})
    void rowsAreScatteredAndGathered(String v) {
        Edge a = array(v, 2);
        Edge rows = constant(Tensor.of(Shape.of(2, 1), 5f, 6f)), where = constant(Tensor.of(Shape.of(2), 1, 0));
        Edge flow = add("TensorArrayScatter" + v, Map.of(), a, where, rows, flow());
        Edge all = constant(Tensor.of(Shape.of(2), 0, 1));
        Edge y = add("TensorArrayGather" + v, Map.of("dtype", DType.F32), a, all, flow);
        assertArrayEquals(new float[] {6, 5}, run(y).get(0).floats());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "V2"})
    void partsAreSplitAndConcatenated(String v) {
        Edge a = array(v, 2), lengths = constant(Tensor.of(Shape.of(2), 1L, 2L));
        Edge flow = add("TensorArraySplit" + v, Map.of(), a, vector(1, 2, 3), lengths, flow());
        Edge y = add("TensorArrayConcat" + v, Map.of("dtype", DType.F32), a, flow);
        assertArrayEquals(new float[] {1, 2, 3}, run(y).get(0).floats());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "V2"})
    void gradientsAddUp(String v) {
        Edge a = array(v, 1);
        Edge name = v.isEmpty() ? graph.add(new Identity(), List.of(a)).edge(0) : a;
        Edge g = add("TensorArrayGrad" + v, Map.of("source", "s"), name, flow()), flow = flow();
        flow = add("TensorArrayWrite" + v, Map.of(), g, number(0), vector(1, 2), flow);
        flow = add("TensorArrayWrite" + v, Map.of(), g, number(0), vector(1, 2), flow);
        Edge y = add("TensorArrayRead" + v, Map.of("dtype", DType.F32), g, number(0), flow);
        Node close;
        try (Graph.Scope _ = graph.after(y.node())) {
            close = graph.add(op("TensorArrayClose" + v, Map.of()), List.of(a));
        }
        try (Session s = Session.open(graph)) {
            assertArrayEquals(
                    new float[] {2, 4}, s.fetch(y).target(close).run().get(0).floats());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "V2", "V3"})
    void gradientsGoThroughEveryOpAsFiniteDifferencesDo(String v) {
        Edge x = placeholder(3, 2), one = placeholder(2);
        Node made = graph.add(
                op("TensorArray" + v, Map.of("dtype", DType.F64, "clear_after_read", false)), List.of(number(4)));
        Edge a = made.edge(0),
                where = constant(Tensor.of(Shape.of(3), 3, 0, 1)),
                all = constant(Tensor.of(Shape.of(4), 0, 1, 2, 3));
        Edge flow = add("TensorArrayScatter" + v, Map.of(), a, where, x, flow());
        flow = add("TensorArrayWrite" + v, Map.of(), a, number(2), one, flow);
        Edge rows = add("TensorArrayGather" + v, Map.of("dtype", DType.F64), a, all, flow);
        Edge row = add("TensorArrayRead" + v, Map.of("dtype", DType.F64), a, number(2), flow);
        Edge joined = concatenated(v, a, flow);

        Edge b = add("TensorArray" + v, Map.of("dtype", DType.F64, "clear_after_read", false), number(2));
        Edge lengths = constant(Tensor.of(Shape.of(2), 1L, 2L));
        Edge parts =
                add("TensorArraySplit" + v, Map.of(), b, Value.of(x).square().edge(), lengths, flow());
        List<Edge> ys =
                List.of(Value.of(rows).square().edge(), Value.of(row).sin().edge(), joined, concatenated(v, b, parts));
        Map<String, Tensor> feeds = Map.of(
                x.name(), Tensor.of(Shape.of(3, 2), 0.3, -1.2, 0.7, 1.9, -0.4, 0.8),
                one.name(), Tensor.of(Shape.of(2), 1.5, -0.6));
        var check = new Sample.GradientCheck(List.of(x, one), ys, 1e-4, 1e-6);
        var run = new Sample.Run(feeds, List.of(), List.of());
        GradientChecker.check(
                new Sample("arrays" + v, "TensorArray" + v, graph, List.of(run), check, null), Setting.PLAIN);
    }

    private Edge concatenated(String v, Edge array, Edge flow) {
        return add("TensorArrayConcat" + v, Map.of("dtype", DType.F64), array, flow);
    }

    private Edge placeholder(long... dims) {
        return graph.add(new Placeholder(DType.F64, Shape.of(dims)), List.of()).edge(0);
    }

    @ParameterizedTest
    @ValueSource(strings = {""})
    void rowsAreUnpackedAndPacked(String v) {
        Edge a = array(v, 2), rows = constant(Tensor.of(Shape.of(2, 1), 5f, 6f));
        Edge flow = add("TensorArrayUnpack", Map.of(), a, rows, flow());
        assertArrayEquals(
                new float[] {5, 6},
                run(add("TensorArrayPack", Map.of("dtype", DType.F32), a, flow))
                        .get(0)
                        .floats());
    }

    private Edge array(String v, int size) {
        return add("TensorArray" + v, Map.of("dtype", DType.F32), number(size));
    }

    private Edge flow() {
        return constant(Tensor.scalar(0f));
    }

    private Edge number(int n) {
        return constant(Tensor.scalar(n));
    }

    private Edge vector(float... values) {
        return constant(Tensor.of(Shape.of(values.length), values));
    }

    private Edge constant(Tensor t) {
        return graph.add(new Const(t), List.of()).edge(0);
    }

    private Edge add(String name, Map<String, Object> attributes, Edge... inputs) {
        return graph.add(op(name, attributes), List.of(inputs)).edge(0);
    }

    private static Op op(String name, Map<String, Object> attributes) {
        return OpRegistry.get().definition(name).create(attributes);
    }

    private List<Tensor> run(Edge... fetches) {
        try (Session s = Session.open(graph)) {
            return s.fetch(fetches).run();
        }
    }
}
