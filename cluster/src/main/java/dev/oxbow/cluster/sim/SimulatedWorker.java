package dev.oxbow.cluster.sim;

import dev.oxbow.cluster.TaskName;
import dev.oxbow.cluster.rpc.Statuses;
import dev.oxbow.cluster.worker.LocalWorker;
import dev.oxbow.cluster.worker.RunGraph;
import dev.oxbow.cluster.worker.Worker;
import dev.oxbow.graph.Cancellation;
import dev.oxbow.graph.Rendezvous;
import dev.oxbow.runtime.DeviceSpec;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.proto.CompleteGroupRequest;
import dev.oxbow.wire.proto.CompleteGroupResponse;
import dev.oxbow.wire.proto.CompleteInstanceRequest;
import dev.oxbow.wire.proto.CompleteInstanceResponse;
import dev.oxbow.wire.proto.CreateWorkerSessionRequest;
import dev.oxbow.wire.proto.RegisterGraphRequest;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/** The worker of another task, called over a simulated network: that of its life at the time of a call. */
final class SimulatedWorker implements Worker {

    /** One life of the task that is called. */
    interface Life {
        Process process();

        LocalWorker worker();
    }

    private static final Duration SOON = Duration.ofSeconds(60);

    private final SimulatedNetwork network;
    private final Process from;
    private final TaskName task;
    private final Supplier<? extends Life> life;

    SimulatedWorker(SimulatedNetwork network, Process from, TaskName task, Supplier<? extends Life> life) {
        this.network = network;
        this.from = from;
        this.task = task;
        this.life = life;
    }

    @Override
    public TaskName task() {
        return task;
    }

    /** What is asked of the worker there. */
    private interface Asked<A> {
        void of(LocalWorker there, Cancellation caller, BiConsumer<A, OxbowException> reply);
    }

    private <A> void call(
            long bytes,
            Cancellation c,
            Duration deadline,
            Asked<A> asked,
            ToLongFunction<A> size,
            Consumer<A> discard,
            BiConsumer<A, OxbowException> then) {
        Life there = life.get();
        BiConsumer<A, OxbowException> named = (a, e) -> then.accept(a, e == null ? null : e.in(task.toString()));
        new Exchange<>(network, from, there.process(), size, named, discard)
                .begin(Exchange.SMALL + bytes, c, deadline, (caller, reply) -> {
                    try {
                        asked.of(there.worker(), caller, reply);
                    } catch (RuntimeException e) {
                        reply.accept(null, Statuses.of(e));
                    }
                });
    }

    private <A> void small(Cancellation c, Duration deadline, Asked<A> asked, BiConsumer<A, OxbowException> then) {
        call(0, c, deadline, asked, _ -> 0, _ -> {}, then);
    }

    private void tell(
            Duration deadline, BiConsumer<LocalWorker, Consumer<OxbowException>> what, Consumer<OxbowException> then) {
        this.<Boolean>small(
                null,
                deadline,
                (there, _, reply) -> what.accept(there, error -> reply.accept(true, error)),
                (_, error) -> then.accept(error));
    }

    @Override
    public void status(Duration deadline, BiConsumer<List<DeviceSpec>, OxbowException> then) {
        this.<List<DeviceSpec>>small(null, deadline, (there, _, reply) -> there.status(deadline, reply), then);
    }

    @Override
    public void createSession(CreateWorkerSessionRequest r, Duration deadline, Consumer<OxbowException> then) {
        tell(deadline, (there, told) -> there.createSession(r, deadline, told), then);
    }

    @Override
    public void deleteSession(String session, Consumer<OxbowException> then) {
        tell(SOON, (there, told) -> there.deleteSession(session, told), then);
    }

    @Override
    public void register(RegisterGraphRequest r, Cancellation c, BiConsumer<String, OxbowException> then) {
        this.<String>call(
                r.getSerializedSize(),
                c,
                null,
                (there, caller, reply) -> there.register(r, caller, reply),
                _ -> 0,
                _ -> {},
                then);
    }

    @Override
    public void deregister(String session, String graph, Consumer<OxbowException> then) {
        tell(SOON, (there, told) -> there.deregister(session, graph, told), then);
    }

    @Override
    public void run(RunGraph r, Cancellation c, BiConsumer<RunGraph.Result, OxbowException> then) {
        long bytes = r.feeds().stream().mapToLong(SimulatedWorker::bytes).sum();
        r.feeds().forEach(Tensor::retain);
        this.<RunGraph.Result>call(
                bytes,
                c,
                null,
                (there, caller, reply) -> there.run(r, caller, reply),
                result -> result.fetched().stream()
                        .mapToLong(SimulatedWorker::bytes)
                        .sum(),
                RunGraph.Result::release,
                (result, error) -> {
                    r.feeds().forEach(Tensor::release);
                    then.accept(result, error);
                });
    }

    static long bytes(Tensor t) {
        return t.dtype().isObject() ? Exchange.SMALL : t.byteSize();
    }

    @Override
    public void cleanup(long step) {
        tell(
                SOON,
                (there, told) -> {
                    there.cleanup(step);
                    told.accept(null);
                },
                _ -> {});
    }

    @Override
    public void cleanupAll(List<String> containers, Consumer<OxbowException> then) {
        tell(SOON, (there, told) -> there.cleanupAll(containers, told), then);
    }

    @Override
    public void receive(long step, String key, Cancellation c, Rendezvous.Receiver then) {
        this.<Optional<Tensor>>call(
                key.length(),
                c,
                null,
                (there, caller, reply) -> there.receive(
                        step,
                        key,
                        caller,
                        (value, error) -> reply.accept(
                                error == null ? Optional.ofNullable(value) : null,
                                error == null ? null : Statuses.of(error))),
                value -> value.map(SimulatedWorker::bytes).orElse(0L),
                value -> value.ifPresent(Tensor::release),
                (value, error) -> then.accept(value == null ? null : value.orElse(null), error));
    }

    @Override
    public void completeGroup(
            CompleteGroupRequest request,
            Cancellation c,
            Duration deadline,
            BiConsumer<CompleteGroupResponse, OxbowException> then) {
        this.<CompleteGroupResponse>small(
                c, deadline, (there, caller, reply) -> there.completeGroup(request, caller, deadline, reply), then);
    }

    @Override
    public void completeInstance(
            CompleteInstanceRequest request,
            Cancellation c,
            Duration deadline,
            BiConsumer<CompleteInstanceResponse, OxbowException> then) {
        this.<CompleteInstanceResponse>small(
                c, deadline, (there, caller, reply) -> there.completeInstance(request, caller, deadline, reply), then);
    }
}
