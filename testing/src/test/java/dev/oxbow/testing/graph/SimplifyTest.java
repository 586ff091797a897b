package dev.oxbow.testing.graph;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.pass.Cut;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.array.Tile;
import dev.oxbow.ops.flow.StopGradient;
import dev.oxbow.ops.math.Pow;
import dev.oxbow.ops.math.Sum;
import dev.oxbow.ops.rewrite.Simplify;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What graphs from elsewhere write by general ops is computed by simpler ones. */
final class SimplifyTest {
    private final Graph graph = new Graph();
    private final Ops ops = Ops.in(graph);
    private final Value x = ops.placeholder("x", DType.F32, Shape.of(2, 1, 3));

    @ParameterizedTest
    @CsvSource({"-1, Reciprocal", "2, Square", "3, Square Mul", "4, Square Square"})
    void smallWholePowersAreProducts(double power, String names) {
        Value y = Value.apply(new Pow(), x, ops.constant((float) power));
        Subgraph s = simplified(y);
        List<String> all = Passes.names(s);
        assertEquals(List.of(names.split(" ")), all.subList(2, all.size() - 1));
        float[] values = {-2, -1, -0f, 0.5f, 1, 3e10f};
        float[] expected = new float[values.length];
        for (int i = 0; i < values.length; i++) expected[i] = (float) Math.pow(values[i], power);
        try (Session session = Session.open(graph, SessionOptions.defaults())) {
            Tensor found = session.feed(x.edge(), Tensor.of(Shape.of(2, 1, 3), values))
                    .fetch(y.edge())
                    .run()
                    .get(0);
            for (int i = 0; i < values.length; i++)
                assertEquals(expected[i], found.floats()[i], Math.ulp(expected[i]), "of " + values[i]);
        }
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, 0.5, 2.5, 17})
    void otherPowersStay(double power) {
        assertUnchanged(Value.apply(new Pow(), x, ops.constant((float) power)));
    }

    @Test
    void powersThatSpreadTheirBaseStay() {
        assertUnchanged(Value.apply(new Pow(), x, ops.constant(Tensor.of(Shape.of(1, 1, 1, 1), 2f))));
    }

    @Test
    void whatIsRepeatedAlongOneElementIsBroadcast() {
        Value y = Value.apply(new Tile(), x.negated(), ops.constant(1, 4, 1));
        Subgraph s = simplified(y);
        assertEquals(1, Passes.count(s, "BroadcastTo"));
        assertEquals(0, Passes.count(s, "Tile"));
        assertEquals(Shape.of(2, 4, 3), s.roots().getFirst().input(0).type().shape());
        try (Session session = Session.open(graph, SessionOptions.defaults())) {
            Tensor found = session.feed(x.edge(), Tensor.of(Shape.of(2, 1, 3), 1f, 2f, 3f, 4f, 5f, 6f))
                    .fetch(y.sum(1).edge())
                    .run()
                    .get(0);
            assertArrayEquals(new float[] {-4, -8, -12, -16, -20, -24}, found.floats());
        }
    }

    @Test
    void whatIsRepeatedAsAWholeStays() {
        assertUnchanged(Value.apply(new Tile(), x.negated(), ops.constant(1, 4, 2)));
        assertUnchanged(Value.apply(new Tile(), x.negated(), ops.constant(0, 1, 1)));
    }

    @Test
    void whatStopsGradientsIsItsInput() {
        Value y = Value.apply(new StopGradient(), x.tanh());
        assertEquals(List.of("_Arg", "Tanh", "_Retval"), Passes.names(simplified(y)));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void sumsOfOneElementAreThatElement(boolean keepDims) {
        Value y = Value.apply(new Sum(keepDims), x, ops.constant(new int[] {-2}));
        Subgraph s = simplified(y);
        assertEquals(0, Passes.count(s, "Sum"));
        assertEquals(keepDims ? 0 : 1, Passes.count(s, "Reshape"));
        assertEquals(y.shape(), s.roots().getFirst().input(0).type().shape());
        try (Session session = Session.open(graph, SessionOptions.defaults())) {
            Tensor found = session.feed(x.edge(), Tensor.of(Shape.of(2, 1, 3), -0f, 2f, Float.NaN, -4f, 1e-45f, 6f))
                    .fetch(y.edge())
                    .run()
                    .get(0);
            assertArrayEquals(
                    new float[] {0f, 2, Float.NaN, -4, 1e-45f, 6}, found.floats(), "as a sum, which is never -0");
        }
    }

    @Test
    void sumsOfSeveralElementsStay() {
        assertUnchanged(x.sum(2));
        assertUnchanged(x.sum(1, 2));
    }

    private Subgraph cut(Value y) {
        return Cut.run(graph, List.of(x.edge()), List.of(y.edge()), List.of());
    }

    private Subgraph simplified(Value y) {
        return Passes.run(cut(y), new Simplify());
    }

    private void assertUnchanged(Value y) {
        Subgraph cut = cut(y);
        assertSame(cut, Passes.run(cut, new Simplify()));
    }
}
