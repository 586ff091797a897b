package dev.oxbow.parallel.ops;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Function;
import dev.oxbow.graph.FunctionRef;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.queue.FIFOQueueV2;
import dev.oxbow.ops.queue.QueueDequeueV2;
import dev.oxbow.ops.queue.QueueEnqueueV2;
import dev.oxbow.ops.state.AssignAddVariableOp;
import dev.oxbow.ops.state.AssignVariableOp;
import dev.oxbow.ops.state.ReadVariableOp;
import dev.oxbow.ops.state.VarHandleOp;
import dev.oxbow.runtime.Engine;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.RunOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Results;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An update goes on when the step and the session that began it have ended. */
@Timeout(300)
final class DetachedUpdateTest {
    private static final List<String> VARIABLES = List.of("first", "second");

    private static Value handle(Graph g, String name) {
        return Value.of(g.add(new VarHandleOp("", name, "", DType.F32, Shape.SCALAR, List.of()), List.of())
                .edge(0));
    }

    private static Value queue(Graph g) {
        return Value.of(g.add(new FIFOQueueV2(List.of(DType.F32), List.of(), -1, "", "go"), List.of())
                .edge(0));
    }

    private static Node write(Graph g, Op op, Value... inputs) {
        List<Edge> edges = new ArrayList<>();
        for (Value v : inputs) edges.add(v.edge());
        return g.add(op, edges);
    }

    /** Waits for a number in a queue and adds it to both variables. */
    private static FunctionRef update(Graph outer) {
        Graph body = new Graph(outer.functions());
        Value number = Value.apply(new QueueDequeueV2(List.of(DType.F32), -1), queue(body));
        List<Node> writes = new ArrayList<>();
        for (String v : VARIABLES) writes.add(write(body, new AssignAddVariableOp(), handle(body, v), number));
        outer.functions()
                .add(new Function("update", body, List.of(), List.of(), List.of(), List.of(), writes, Map.of()));
        return new FunctionRef("update");
    }

    /** Sets both variables, pushes, and ends before the update can. */
    private static void pushAndLeave(Engine engine) {
        Graph g = new Graph();
        Ops ops = Ops.in(g);
        List<Node> starts = new ArrayList<>();
        for (String v : VARIABLES)
            starts.add(write(g, new AssignVariableOp(false), handle(g, v), ops.constant(DType.F32, 1)));
        Value zero = ops.constant(DType.I64, 0), none = ops.constant(Tensor.allocate(DType.I64, Shape.of(0)));
        Node push = write(g, new GradientPush("gate", "", update(g), 1, false), zero, zero, zero, none);
        try (Session s = Session.open(g, engine)) {
            s.target(starts.toArray(Node[]::new)).run().close();
            s.target(push).run().close();
        }
    }

    @Test
    void anUpdateEndsAsAWholeThoughItsPusherHasGone() {
        try (Engine engine = new Engine(EngineOptions.defaults().withThreads(2))) {
            pushAndLeave(engine);
            Graph g = new Graph();
            Ops ops = Ops.in(g);
            Node go = write(g, new QueueEnqueueV2(-1), queue(g), ops.constant(DType.F32, 41));
            Value done = Value.apply(new VersionWait("gate", "", 1, 0), ops.constant(DType.I64, 0));
            List<Edge> values = new ArrayList<>();
            try (Graph.Scope _ = g.after(done.edge().node())) {
                for (String v : VARIABLES)
                    values.add(Value.apply(new ReadVariableOp(DType.F32), handle(g, v))
                            .edge());
            }
            try (Session s = Session.open(g, engine)) {
                s.target(go).run().close();
                try (Results r = s.fetch(values.toArray(Edge[]::new))
                        .options(RunOptions.timeout(Duration.ofSeconds(30)))
                        .run()) {
                    assertEquals(42, r.get(0).getDouble(0));
                    assertEquals(42, r.get(1).getDouble(0));
                }
            }
        }
    }

    /** One push of two that an update needs, of a worker whose session ends with it. */
    private static void push(Engine engine, long worker) {
        Graph g = new Graph();
        Ops ops = Ops.in(g);
        Graph body = new Graph(g.functions());
        List<Node> writes = new ArrayList<>();
        for (String v : VARIABLES)
            writes.add(write(
                    body,
                    new AssignAddVariableOp(),
                    handle(body, v),
                    Ops.in(body).constant(DType.F32, 41)));
        g.functions().add(new Function("update", body, List.of(), List.of(), List.of(), List.of(), writes, Map.of()));
        Value zero = ops.constant(DType.I64, 0), none = ops.constant(Tensor.allocate(DType.I64, Shape.of(0)));
        GradientPush op = new GradientPush("pair", "", new FunctionRef("update"), 2, false);
        Node push = write(g, op, ops.constant(DType.I64, worker), zero, zero, none);
        try (Session s = Session.open(g, engine)) {
            s.target(push).run().close();
        }
    }

    @Test
    void anUpdateThatBeginsWhenAPusherHasGoneIsDone() {
        try (Engine engine = new Engine(EngineOptions.defaults().withThreads(2))) {
            Graph g = new Graph();
            Ops ops = Ops.in(g);
            List<Node> starts = new ArrayList<>();
            for (String v : VARIABLES)
                starts.add(write(g, new AssignVariableOp(false), handle(g, v), ops.constant(DType.F32, 1)));
            Value done = Value.apply(new VersionWait("pair", "", 1, 0), ops.constant(DType.I64, 0));
            List<Edge> values = new ArrayList<>();
            try (Graph.Scope _ = g.after(done.edge().node())) {
                for (String v : VARIABLES)
                    values.add(Value.apply(new ReadVariableOp(DType.F32), handle(g, v))
                            .edge());
            }
            try (Session s = Session.open(g, engine)) {
                s.target(starts.toArray(Node[]::new)).run().close();
                push(engine, 1);
                push(engine, 0);
                try (Results r = s.fetch(values.toArray(Edge[]::new))
                        .options(RunOptions.timeout(Duration.ofSeconds(30)))
                        .run()) {
                    assertEquals(42, r.get(0).getDouble(0));
                    assertEquals(42, r.get(1).getDouble(0));
                }
            }
        }
    }
}
