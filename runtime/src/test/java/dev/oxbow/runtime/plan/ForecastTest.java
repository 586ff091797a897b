package dev.oxbow.runtime.plan;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.core.Const;
import dev.oxbow.runtime.HandMade;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is known of a run before it, from regions written by hand. */
final class ForecastTest {
    private final HandMade made = new HandMade();
    private final Edge x = made.input("x", Shape.UNKNOWN_DIM, 3);

    private OneRegion with(String node, Tensor argument, Edge... fetches) {
        Tensor[] arguments = argument == null ? new Tensor[0] : new Tensor[] {argument};
        return OneRegion.with(node, made, List.of(fetches), List.of(), arguments);
    }

    @Test
    void shapesFollowFromThoseOfTheArguments() {
        Edge y = made.negate("y", x);
        OneRegion r = with("y", Tensor.zeros(DType.F32, Shape.of(5, 3)), y);
        assertTrue(r.forecast().isWhole());
        assertEquals(Shape.of(5, 3), r.forecast().record.types[r.at("y")][0].shape());
        assertEquals(Shape.of(5, 3), r.forecast().record.outputs[0]);
        assertEquals(Shape.of(5, 3), r.forecast().record.shapes.get(r.slot("y")));
    }

    @Test
    void anUnknownShapeIsLeftToTheRun() {
        Edge y = made.negate("y", x);
        OneRegion r = with("y", null, y);
        assertFalse(r.forecast().isWhole());
        assertNull(r.forecast().record.types[r.at("y")]);
    }

    @Test
    void whatFollowsFromShapesIsAConstant() {
        Edge n = made.node("n", new HandMade.Size(), x).edge(0);
        Edge twice = made.add("twice", n, n);
        OneRegion r = with("n", Tensor.zeros(DType.F32, Shape.of(5, 3)), twice);
        Recording record = r.forecast().record;
        assertEquals(15, record.constants[r.at("n")][0].getLong(0));
        assertEquals(30, record.constants[r.at("twice")][0].getLong(0));
    }

    @Test
    void constantsOfTheGraphAreKnownAndLargeOnesAreNotComputedWith() {
        long many = Recording.MOST_BYTES / Float.BYTES + 1;
        Edge small =
                made.node("small", new Const(Tensor.of(Shape.of(2), 1f, 2f))).edge(0);
        Edge large = made.node("large", new Const(Tensor.zeros(DType.F32, Shape.of(many))))
                .edge(0);
        Edge a = made.negate("a", small), b = made.negate("b", large);
        OneRegion r = with("a", null, a, b);
        Recording record = r.forecast().record;
        assertArrayEquals(new float[] {-1, -2}, record.constants[r.at("a")][0].floats());
        assertNotNull(record.constants[r.at("large")]);
        assertNull(record.constants[r.at("b")]);
        assertEquals(Shape.of(many), record.types[r.at("b")][0].shape());
    }

    @Test
    void aViewHasATypeAndAnOpThatWaitsHasNone() {
        Edge flat = made.node("flat", new HandMade.Flat(), made.negate("y", x)).edge(0);
        Edge waited = made.await("waited", x);
        Tensor five = Tensor.zeros(DType.F32, Shape.of(5, 3));
        OneRegion r = with("flat", five, flat);
        assertEquals(Shape.of(15), r.forecast().record.types[r.at("flat")][0].shape());
        OneRegion w = with("waited", five, waited);
        assertNull(w.forecast().record.types[w.at("waited")]);
    }

    @Test
    void effectsAreNeverConstants() {
        Edge v = made.node("v", new HandMade.Variable("v", 4)).edge(0);
        Edge read = made.node("read", new HandMade.Read(), v).edge(0);
        OneRegion r = with(
                "read", null, read, made.node("draw", new HandMade.Draw(1, 2)).edge(0));
        assertNull(r.forecast().record.constants[r.at("read")]);
        assertNull(r.forecast().record.constants[r.at("draw")]);
        assertNull(r.forecast().record.types[r.at("v")], "a handle is no memory");
        assertEquals(Shape.of(4), r.forecast().record.types[r.at("read")][0].shape());
    }
}
