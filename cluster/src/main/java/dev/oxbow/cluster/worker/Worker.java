package dev.oxbow.cluster.worker;

import dev.oxbow.cluster.TaskName;
import dev.oxbow.graph.Cancellation;
import dev.oxbow.graph.Rendezvous;
import dev.oxbow.runtime.DeviceSpec;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.wire.proto.CompleteGroupRequest;
import dev.oxbow.wire.proto.CompleteGroupResponse;
import dev.oxbow.wire.proto.CompleteInstanceRequest;
import dev.oxbow.wire.proto.CompleteInstanceResponse;
import dev.oxbow.wire.proto.CreateWorkerSessionRequest;
import dev.oxbow.wire.proto.RegisterGraphRequest;
import java.time.Duration;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** TensorFlow's WorkerService in Java: one task, in this process or another. Each answer comes once, from any thread. */
public interface Worker {
    TaskName task();

    /** The devices as they are now; a task that does not answer in time is UNAVAILABLE or DEADLINE_EXCEEDED. */
    void status(Duration deadline, BiConsumer<List<DeviceSpec>, OxbowException> then);

    /** How its clock differs from that of this process; null where it can not be asked. */
    default void clock(BiConsumer<ClockReading, OxbowException> then) {
        then.accept(ClockReading.SAME, null);
    }

    void createSession(CreateWorkerSessionRequest request, Duration deadline, Consumer<OxbowException> then);

    void deleteSession(String session, Consumer<OxbowException> then);

    /** Makes a program of a part, and gives its handle; cancelling, where that is not null, ends the wait for it. */
    void register(RegisterGraphRequest request, Cancellation cancellation, BiConsumer<String, OxbowException> then);

    void deregister(String session, String graph, Consumer<OxbowException> then);

    /** Runs what was registered; tensors of the run are borrowed until {@code then}, those of the result are its own. */
    void run(RunGraph run, Cancellation cancellation, BiConsumer<RunGraph.Result, OxbowException> then);

    /** Has a step end; nobody waits for that. */
    void cleanup(long step);

    /** Empties containers, the default one when none is named. */
    void cleanupAll(List<String> containers, Consumer<OxbowException> then);

    /** Brings a value that the task makes in a step. */
    void receive(long step, String key, Cancellation cancellation, Rendezvous.Receiver then);

    /** Takes a device into a group, if the task is the one that leads collectives, and answers when the group is complete. */
    void completeGroup(
            CompleteGroupRequest request,
            Cancellation cancellation,
            Duration deadline,
            BiConsumer<CompleteGroupResponse, OxbowException> then);

    /** Notes that a device has come to a collective of its group, and answers when all have. */
    void completeInstance(
            CompleteInstanceRequest request,
            Cancellation cancellation,
            Duration deadline,
            BiConsumer<CompleteInstanceResponse, OxbowException> then);
}
