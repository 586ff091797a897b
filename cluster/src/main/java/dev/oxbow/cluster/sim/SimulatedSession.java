package dev.oxbow.cluster.sim;

import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.ErrorCode.UNIMPLEMENTED;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.cluster.master.MasterCalls;
import dev.oxbow.cluster.worker.Health;
import dev.oxbow.graph.Cancellation;
import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.wire.GraphExporter;
import dev.oxbow.runtime.DeviceSpec;
import dev.oxbow.runtime.PartialRun;
import dev.oxbow.runtime.RunOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Results;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.proto.ConfigProto;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** A session with a simulated master. Each call lets virtual time pass until it has its answer, an hour at most. */
final class SimulatedSession implements Session {
    private static final Duration HOUR = Duration.ofHours(1);

    private final SimulatedNetwork network;
    private final Process client;
    private final Process there;
    private final MasterCalls master;
    private final Graph graph;
    private final Duration lostAfter;
    private final int size;
    private final String handle;
    private boolean closed;

    SimulatedSession(
            SimulatedNetwork network,
            Process client,
            Process there,
            MasterCalls master,
            Graph graph,
            ConfigProto config,
            Duration lostAfter) {
        this.network = network;
        this.client = client;
        this.there = there;
        this.master = master;
        this.graph = graph;
        this.lostAfter = lostAfter;
        this.size = graph.size();
        this.handle = this.<String>call(
                0, (caller, reply) -> master.open(GraphExporter.write(graph), config, caller, reply), null, _ -> {});
    }

    /** The answer to a call, or its error, after the time that it takes. */
    private <A> A call(long bytes, Exchange.Handler<A> handler, Cancellation given, Consumer<A> discard) {
        Cancellation c = new Cancellation();
        if (given != null && given.register(c::cancel) < 0) c.cancel(given.reason());
        Health health = new Health(network::nanoTime, lostAfter);
        health.watch("the master at " + there, 0, this::status, c::cancel);
        var looks = client.every(lostAfter.dividedBy(Health.LOOKS), health::look);
        List<Object> end = new ArrayList<>();
        new Exchange<A>(
                        network,
                        client,
                        there,
                        _ -> 0,
                        (a, e) -> {
                            end.add(e == null ? "answered" : e);
                            end.add(a);
                        },
                        discard)
                .begin(Exchange.SMALL + bytes, c, null, handler);
        network.runUntil(() -> !end.isEmpty(), HOUR);
        looks.cancel(false);
        if (end.getFirst() instanceof OxbowException e) throw (c.isCancelled() ? c.reason() : e).rethrown();
        @SuppressWarnings("unchecked")
        A answer = (A) end.getLast();
        return answer;
    }

    private void status(Duration deadline, BiConsumer<List<DeviceSpec>, OxbowException> then) {
        new Exchange<List<DeviceSpec>>(network, client, there, _ -> 0, then, _ -> {})
                .begin(Exchange.SMALL, null, deadline, (_, reply) -> reply.accept(List.of(), null));
    }

    @Override
    public Graph graph() {
        return graph;
    }

    @Override
    public Results run(List<Edge> feeds, List<Tensor> values, List<Edge> fetches, List<Node> targets, RunOptions run) {
        require(!closed, FAILED_PRECONDITION, "Session: it is closed");
        require(
                graph.size() == size,
                UNIMPLEMENTED,
                "Session: a simulated one runs its graph as it was opened, with %d nodes; now there are %d",
                size,
                graph.size());
        List<Tensor> held = values.stream().map(t -> t.view(t.shape())).toList();
        try {
            Tensor[] all = this.<Tensor[]>call(
                    values.stream().mapToLong(SimulatedWorker::bytes).sum(),
                    (caller, reply) -> master.run(
                            handle,
                            feeds.stream().map(Edge::name).toList(),
                            held,
                            fetches.stream().map(Edge::name).toList(),
                            targets.stream().map(Node::name).toList(),
                            caller,
                            reply),
                    run.cancellation(),
                    tensors -> Arrays.stream(tensors).forEach(Tensor::release));
            return new Results(Arrays.stream(all).map(Tensor::guarded).toList());
        } finally {
            held.forEach(Tensor::release);
        }
    }

    @Override
    public PartialRun partialRun(List<String> feeds, List<String> fetches, List<String> targets) {
        throw new OxbowException(UNIMPLEMENTED, "Session: a simulated one has no partial runs");
    }

    @Override
    public String explain(List<Edge> feeds, List<Edge> fetches, List<Node> targets, boolean verbose) {
        throw new OxbowException(UNIMPLEMENTED, "Session: a simulated one does not explain");
    }

    /** Has the master forget it, unless that does not answer. */
    @Override
    public void close() {
        if (closed) return;
        closed = true;
        if (network.isClosing()) return;
        try {
            this.<Boolean>call(
                    0, (_, reply) -> master.close(handle, error -> reply.accept(true, error)), null, _ -> {});
        } catch (OxbowException e) {
            // a master that is lost has forgotten it, or its workers do
        }
    }
}
