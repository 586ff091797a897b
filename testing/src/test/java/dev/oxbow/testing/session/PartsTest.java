package dev.oxbow.testing.session;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.graph.Cancellation;
import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Rendezvous;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.Tracer;
import dev.oxbow.graph.pass.Cut;
import dev.oxbow.graph.wire.GraphExporter;
import dev.oxbow.graph.wire.GraphImporter;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.gradient.Gradients;
import dev.oxbow.ops.gradient.Minimiser;
import dev.oxbow.runtime.Device;
import dev.oxbow.runtime.DeviceSpec;
import dev.oxbow.runtime.Engine;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.runtime.SessionOptions;
import dev.oxbow.runtime.StepContext;
import dev.oxbow.runtime.compile.GlobalCompiler;
import dev.oxbow.runtime.compile.Part;
import dev.oxbow.runtime.compile.Stages;
import dev.oxbow.runtime.run.Program;
import dev.oxbow.runtime.run.SessionState;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Parts of a graph run where they were sent to: each task has its engine, its session's state and the programs of its parts. */
@Timeout(300)
final class PartsTest {
    private static final SessionOptions OPTIONS = SessionOptions.defaults();

    private final Graph graph = new Graph();
    private final Ops ops = Ops.in(graph);

    /** One process of a cluster, as far as running goes. */
    private static final class Task implements AutoCloseable {
        final Engine engine;
        final SessionState state;

        Task(int number) {
            engine = new Engine(
                    EngineOptions.defaults().withThreads(2).withTask("/job:worker/replica:0/task:" + number));
            state = new SessionState(engine, OPTIONS);
        }

        @Override
        public void close() {
            state.close();
            engine.close();
        }
    }

    /** Where the sends and receives of a step meet, whichever task they are of. */
    private static final class Meeting implements Rendezvous {
        private final Map<String, Object> waiting = new HashMap<>();

        @Override
        public void send(String key, Tensor value) {
            Object there;
            synchronized (this) {
                there = waiting.remove(key);
                if (there == null) waiting.put(key, value);
            }
            if (there instanceof Receiver r) r.accept(value, null);
        }

        @Override
        public void receive(String key, Receiver then) {
            Object there;
            synchronized (this) {
                there = waiting.remove(key);
                if (there == null) waiting.put(key, then);
            }
            if (there instanceof Tensor t) then.accept(t, null);
        }

        @Override
        public void end(Throwable why) {} // the step ends with its last task, not with its first
    }

    /** What a cluster keeps of one kind of run: a program for each task. */
    private record Registered(List<Task> tasks, List<Program> programs) implements AutoCloseable {

        List<Tensor> run(Tracer tracer, Tensor... arguments) throws Exception {
            long step = StepContext.nextId();
            Rendezvous meeting = new Meeting();
            Cancellation cancellation = new Cancellation();
            List<CompletableFuture<Tensor[]>> ends = new ArrayList<>();
            for (int t = 0; t < tasks.size(); t++) {
                CompletableFuture<Tensor[]> end = new CompletableFuture<>();
                ends.add(end);
                if (programs.get(t) == null) {
                    end.complete(new Tensor[0]);
                    continue;
                }
                programs.get(t)
                        .start(
                                new StepContext(step, null, cancellation, meeting, tracer),
                                arguments,
                                tasks.get(t).state,
                                tasks.get(t).engine.width(),
                                (results, error) -> {
                                    if (error == null) end.complete(results);
                                    else end.completeExceptionally(error);
                                });
            }
            List<Tensor> all = new ArrayList<>();
            for (CompletableFuture<Tensor[]> end : ends)
                for (Tensor r : end.get(60, TimeUnit.SECONDS)) if (r != null) all.add(r);
            return all;
        }

        @Override
        public void close() {
            programs.forEach(p -> {
                if (p != null) p.close();
            });
        }
    }

    private Registered register(
            List<Task> tasks, boolean travels, List<Edge> feeds, List<Edge> fetches, List<Node> targets) {
        List<DeviceSpec> devices = tasks.stream()
                .flatMap(t -> t.engine.devices().stream())
                .map(Device::spec)
                .toList();
        List<Part> parts = new GlobalCompiler(devices, (d, op) -> true, OPTIONS)
                .compile(Cut.run(graph, feeds, fetches, targets), new Stages(OPTIONS::service, null));
        List<Program> programs = new ArrayList<>();
        for (Task t : tasks) {
            DeviceSpec here = t.engine.devices().getFirst().spec();
            List<Part> own = parts.stream().filter(p -> p.device().equals(here)).toList();
            if (travels) own = own.stream().map(PartsTest::travelled).toList();
            programs.add(own.isEmpty() ? null : t.state.program(own, fetches.size()));
        }
        return new Registered(tasks, programs);
    }

    private static Part travelled(Part p) {
        Graph copy = GraphImporter.read(GraphExporter.writeReachable(p.graph().graph()));
        return new Part(p.device(), new Subgraph(copy, copy.sinks()));
    }

    /** What a third step of a model on two tasks gives, and what it did: device and nodes of each thing done, in no order. */
    private record Seen(float[] loss, float[] gradient, List<String> done) {}

    private Seen train(boolean travels, Value x, Parameter w, Value loss, Value gradient, Node update)
            throws Exception {
        try (Task zero = new Task(0);
                Task one = new Task(1)) {
            List<Task> tasks = List.of(zero, one);
            Tensor rows = Tensor.of(Shape.of(16, 8), ramp(128));
            try (Registered start = register(tasks, travels, List.of(), List.of(), List.of(w.initialiser()));
                    Registered step = register(
                            tasks,
                            travels,
                            List.of(x.edge()),
                            List.of(loss.edge(), gradient.edge()),
                            List.of(update))) {
                start.run(null);
                for (int i = 0; i < 2; i++) step.run(null, rows).forEach(Tensor::close);
                ConcurrentLinkedQueue<String> done = new ConcurrentLinkedQueue<>();
                List<Tensor> results = step.run(
                        (device, nodes, from, to) ->
                                done.add(device + nodes.stream().map(Node::name).toList()),
                        rows);
                float[] first = results.get(0).floats(), second = results.get(1).floats();
                results.forEach(Tensor::close);
                return new Seen(
                        first.length == 1 ? first : second,
                        first.length == 1 ? second : first,
                        done.stream().sorted().toList());
            }
        }
    }

    private static float[] ramp(int n) {
        float[] all = new float[n];
        for (int i = 0; i < n; i++) all[i] = (i % 13 - 6) / 8f;
        return all;
    }

    @Test
    void aPartThatTravelledRunsByTheSamePlanAsTheOneThatStayed() throws Exception {
        Value x = ops.placeholder("x", DType.F32, Shape.of(16, 8)), h, loss, gradient;
        Parameter w;
        Node update;
        try (var _ = graph.device("/job:worker/task:1")) {
            w = Parameter.of("w", ops.constant(Tensor.of(Shape.of(8, 4), ramp(32))));
            h = x.matMul(w.value()).tanh().times(2);
        }
        try (var _ = graph.device("/job:worker/task:0")) {
            loss = h.exp().plus(1).sum();
        }
        gradient = Gradients.of(loss, w.value()).getFirst();
        update = Minimiser.descent(0.01).minimise(loss, List.of(w)).nodes().getFirst();
        Seen stayed = train(false, x, w, loss, gradient, update), travelled = train(true, x, w, loss, gradient, update);
        assertArrayEquals(stayed.loss, travelled.loss);
        assertArrayEquals(stayed.gradient, travelled.gradient);
        assertEquals(stayed.done, travelled.done);
        assertTrue(
                stayed.done.stream().anyMatch(d -> d.contains("task:0/device:CPU:0[") && d.contains(", ")),
                "some are fused");
    }

    @Test
    void aPartForAnotherLifeOfADeviceIsRefused() {
        Value y = ops.constant(1f).plus(2);
        try (Task task = new Task(0)) {
            DeviceSpec here = task.engine.devices().getFirst().spec();
            DeviceSpec before = new DeviceSpec(here.name(), here.type(), here.incarnation() + 1, here.memoryInBytes());
            Subgraph cut = Cut.run(graph, List.of(), List.of(y.edge()), List.of());
            OxbowException e =
                    assertThrows(OxbowException.class, () -> task.state.program(List.of(new Part(before, cut)), 1));
            assertEquals(ErrorCode.FAILED_PRECONDITION, e.code());
            assertTrue(e.getMessage().startsWith("Part: it is for " + before + ", and the devices here are "));
        }
    }
}
