package dev.oxbow.testing.session;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.gradient.Minimiser;
import dev.oxbow.runtime.Session;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Parameters and the steps that change them, as users make them. */
final class ParameterTest {
    private final Graph graph = new Graph();
    private final Ops ops = Ops.in(graph);

    private Parameter parameter(String name) {
        return Parameter.of(name, ops.constant(Tensor.of(Shape.of(2), 1f, 2f)));
    }

    @Test
    void aParameterHasTheNameItWasGiven() {
        Parameter w = parameter("w");
        assertEquals("w", w.name());
        try (Session session = Session.open(graph)) {
            session.run(Map.of(), List.of(), List.of("w/assign"));
            assertArrayEquals(
                    new float[] {1, 2},
                    session.run(Map.of(), List.of("w:0"), List.of()).get(0).floats());
        }
    }

    @Test
    void namesAreUniqueAndInsideTheirScope() {
        assertEquals("w", parameter("w").name());
        assertEquals("w_1", parameter("w").name());
        try (Graph.Scope _ = graph.scope("layer")) {
            Parameter w = parameter("w");
            assertEquals("layer/w", w.name());
            assertEquals("layer/w", w.value().edge().node().name());
            assertEquals("layer/w/handle", w.handle().node().name());
            assertEquals("layer/w/assign", w.initialiser().name());
        }
    }

    @Test
    void slotsAreNamedAfterTheirParameter() {
        Parameter w = parameter("w"), b = parameter("b");
        Minimiser.Updates adam =
                Minimiser.adam(0.1).minimise(w.value().times(b.value()).sum(), List.of(w, b));
        assertEquals(
                List.of("w/adam/m", "w/adam/v", "b/adam/m", "b/adam/v", "adam/beta1_power", "adam/beta2_power"),
                adam.slots().stream().map(Parameter::name).toList());
    }

    @ParameterizedTest
    @EnumSource(
            value = DType.class,
            names = {"F32", "F64", "F16"})
    void adamsSlotsHaveTheDtypeOfTheirParameter(DType dtype) {
        Parameter w =
                Parameter.of("w", ops.constant(Tensor.of(Shape.of(2), 1.0, 2.0)).cast(dtype));
        Parameter other = parameter("other");
        Value loss =
                w.value().cast(DType.F32).square().plus(other.value().square()).sum();
        Minimiser.Updates adam = Minimiser.adam(0.25).minimise(loss, List.of(w, other));
        assertEquals(dtype, adam.slots().getFirst().value().dtype());
        try (Session session = Session.open(graph)) {
            session.target(w.initialiser(), other.initialiser()).run();
            session.target(adam.slots().stream().map(Parameter::initialiser).toArray(Node[]::new))
                    .run();
            session.target(adam.targets()).run();
            Tensor now = session.fetch(w.value().edge()).run().get(0);
            assertEquals(0.75, now.getDouble(0), 0.01); // the first step of Adam is the rate
            assertEquals(1.75, now.getDouble(1), 0.01);
        }
    }

    @Test
    void aParameterThatTheLossDoesNotUseIsNamed() {
        Parameter w = parameter("w"), unused = parameter("unused");
        Value loss = w.value().sum();
        String message =
                "Minimiser: the loss Sum:0 does not depend on parameter 'unused' f32[2] by ops that have gradients;"
                        + " use it in the loss, or leave it out of the parameters to train";
        for (Runnable step : List.<Runnable>of(
                () -> Minimiser.descent(0.1).minimise(loss, List.of(w, unused)).nodes(),
                () -> Minimiser.adam(0.1).minimise(loss, List.of(w, unused))))
            assertEquals(message, assertThrows(OxbowException.class, step::run).getMessage());
    }

    @Test
    void aLossOfIntegersIsRefused() {
        Parameter w = parameter("w");
        Value loss = w.value().cast(DType.I32).sum();
        assertEquals(
                "Minimiser: the loss Sum:0 is i32[], but only floating values have gradients; compute it in floating numbers",
                assertThrows(
                                OxbowException.class,
                                () -> Minimiser.descent(0.1)
                                        .minimise(loss, List.of(w))
                                        .nodes())
                        .getMessage());
    }

    @Test
    void aVariableWithoutAValueSaysWhatToRun() {
        Parameter w = parameter("w");
        Node[] step = Minimiser.adam(0.1).minimise(w.value().sum(), List.of(w)).targets();
        try (Session session = Session.open(graph)) {
            String read = assertThrows(
                            OxbowException.class,
                            () -> session.fetch(w.value().edge()).run())
                    .getMessage();
            assertTrue(read.contains("run its initialiser first, such as w.initialiser()"), read);
            session.target(w.initialiser()).run();
            String slots = assertThrows(
                            OxbowException.class, () -> session.target(step).run())
                    .getMessage();
            assertTrue(slots.contains("initialiser"), slots);
        }
    }

    @Test
    void anUnknownNameIsAnsweredWithTheNearestOnes() {
        parameter("logits");
        String message =
                assertThrows(OxbowException.class, () -> graph.node("logit")).getMessage();
        assertEquals("Graph: there is no node 'logit'; did you mean 'logits'?", message);
        assertEquals(
                "Graph: there is no node 'handle'; did you mean 'logits/handle'?",
                assertThrows(OxbowException.class, () -> graph.node("handle")).getMessage());
        assertEquals(
                "Graph: there is no node 'elsewhere'",
                assertThrows(OxbowException.class, () -> graph.node("elsewhere"))
                        .getMessage());
    }
}
