package dev.oxbow.testing.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.graph.FunctionRef;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.core.PartitionedCall;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.runtime.Engine;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.RunOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Loops and calls of functions go as far as memory does, whatever the size of the stack. */
@Timeout(300)
final class CallDepthTest {
    private static final TensorType SCALAR = new TensorType(DType.F32, Shape.SCALAR);

    private final Graph graph = new Graph();
    private final Ops ops = Ops.in(graph);
    private final Value x = ops.placeholder("x", DType.F32, Shape.SCALAR);

    /** {@code sum(x) = x <= 0 ? last(x) : x + sum(x - 1)}, by If and PartitionedCall. */
    private Value sum(UnaryOperator<Value> last) {
        ops.function(
                "sum",
                List.of(SCALAR),
                v -> ops.cond(
                        v.get(0).greater(ops.constant(0f)),
                        () -> List.of(v.get(0).plus(Endless.call("sum", v.get(0).minus(1)))),
                        () -> List.of(last.apply(v.get(0)))));
        return Endless.call("sum", x);
    }

    private Value count(int iterations) {
        ops.function(
                "body",
                List.of(new TensorType(DType.I32, Shape.SCALAR), SCALAR),
                v -> List.of(v.get(1).plus(1)));
        return Value.apply(
                Ops.named("For", Map.of("body", new FunctionRef("body"))),
                ops.constant(DType.I32, 0),
                ops.constant(DType.I32, iterations),
                ops.constant(DType.I32, 1),
                x);
    }

    private static float run(Session s, Value x, float at, Value y) {
        try (Tensor t =
                s.feed(x.edge(), Tensor.scalar(at)).fetch(y.edge()).run().get(0)) {
            return (float) t.getDouble(0);
        }
    }

    @Test
    void aForOfManyIterationsEnds() {
        Value y = count(20_000);
        try (Session s = Session.open(graph)) {
            assertEquals(20_000, run(s, x, 0, y));
        }
    }

    @Test
    void aWhileThatIsCalledGoesRoundAsOftenAsItWants() {
        Value y = Endless.calledWhile(graph, x, v -> v.less(ops.constant(20_000f)));
        try (Session s = Session.open(graph)) {
            assertEquals(20_000, run(s, x, 0, y));
        }
    }

    @Test
    @Tag("long")
    void aForOfAMillionIterationsEnds() {
        Value y = count(1_000_000);
        try (Session s = Session.open(graph)) {
            assertEquals(1_000_000, run(s, x, 0, y));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aFunctionCallsItselfTwentyThousandTimes(int threads) {
        Value y = sum(v -> v);
        try (Engine engine = new Engine(EngineOptions.defaults().withThreads(threads))) {
            try (Session s = Session.open(graph, engine)) {
                assertEquals(200_010_000f, run(s, x, 20_000, y), 2e4f);
            }
            assertEquals(0, engine.devices().get(0).memory().bytesInUse());
        }
    }

    @Test
    void aCallThatIsTooDeepNamesTheFunctionAndTheDepth() {
        Value y = sum(v -> v);
        try (Engine engine = new Engine(EngineOptions.defaults())) {
            try (Session s =
                    Session.open(graph, engine, SessionOptions.defaults().withCallDepth(5_000))) {
                OxbowException e = assertThrows(OxbowException.class, () -> run(s, x, 1e9f, y));
                assertEquals(ErrorCode.RESOURCE_EXHAUSTED, e.code(), e::getMessage);
                assertTrue(
                        e.getMessage()
                                .matches("\\w+: function \\w+: is called 5,001 calls deep, the limit is 5,000:"
                                        + " SessionOptions.withCallDepth sets it \\(node .*"),
                        e::getMessage);
                assertEquals(55, run(s, x, 10, y));
            }
            assertEquals(0, engine.devices().get(0).memory().bytesInUse());
        }
    }

    @Test
    void anErrorAtTheBottomComesUpAsItIs() {
        Value y = sum(v -> Value.apply(
                Ops.named("CheckNumerics", Map.of("message", "the bottom")),
                v.plus(1).log().times(0).dividedBy(v)));
        try (Engine engine = new Engine(EngineOptions.defaults())) {
            try (Session s = Session.open(graph, engine)) {
                OxbowException e = assertThrows(OxbowException.class, () -> run(s, x, 10_000, y));
                assertTrue(e.getMessage().startsWith("CheckNumerics: the bottom"), e::getMessage);
            }
            assertEquals(0, engine.devices().get(0).memory().bytesInUse());
        }
    }

    @Test
    void aWaitAtTheBottomEndsAtTheDeadline() {
        List<DType> types = List.of(DType.F32);
        Op down = new PartitionedCall(types, new FunctionRef("down"));
        ops.function(
                "down",
                List.of(SCALAR, new TensorType(DType.RESOURCE, Shape.SCALAR)),
                v -> ops.cond(
                        v.get(0).greater(ops.constant(0f)),
                        () -> List.of(Value.apply(down, v.get(0).minus(1), v.get(1))),
                        () -> List.of(
                                Value.apply(Ops.named("QueueDequeueV2", Map.of("component_types", types)), v.get(1)))));
        Value queue = ops.add(Ops.named("FIFOQueueV2", Map.of("component_types", types)))
                .get(0);
        Value y = Value.apply(down, x, queue);
        try (Session s = Session.open(graph)) {
            OxbowException e = assertThrows(
                    OxbowException.class,
                    () -> s.feed(x.edge(), Tensor.scalar(10_000f))
                            .fetch(y.edge())
                            .options(RunOptions.timeout(Duration.ofSeconds(2)))
                            .run());
            assertEquals(ErrorCode.DEADLINE_EXCEEDED, e.code(), e::getMessage);
        }
    }

    @Test
    void aTreeOfCallsHoldsTheMemoryOfItsDepth() {
        ops.function(
                "leaves",
                List.of(SCALAR),
                v -> ops.cond(
                        v.get(0).greater(ops.constant(1f)),
                        () -> List.of(Endless.call("leaves", v.get(0).minus(1))
                                .plus(Endless.call("leaves", v.get(0).minus(2)))),
                        () -> List.of(ops.constant(1f))));
        Value y = Endless.call("leaves", x);
        try (Engine engine = new Engine(EngineOptions.defaults());
                Session s = Session.open(graph, engine)) {
            assertEquals(89, run(s, x, 10, y));
            long few = engine.devices().get(0).memory().bytesReserved();
            assertEquals(10_946, run(s, x, 20, y));
            assertTrue(engine.devices().get(0).memory().bytesReserved() <= 8 * Math.max(few, 1 << 16));
        }
    }
}
