package dev.oxbow.collective.keyed;

import dev.oxbow.graph.Cancellation;
import dev.oxbow.graph.Completion;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.ResourceHandle;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.tensor.DType;
import java.time.Duration;
import java.util.List;

/** A group in which this device has the rank that it says, once all have come. */
@Signature(
        "CollectiveInitializeCommunicator(group_key: int32, rank: int32, group_size: int32) -> (communicator: resource) {communication_hint: string = \"auto\"; timeout_seconds: float = 0.0} stateful")
public record CollectiveInitializeCommunicator(String communicationHint, float timeoutSeconds) implements KeyedOp {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        for (int i = 0; i < 3; i++) c.scalar(i);
        return List.of(TensorType.handle(DType.RESOURCE));
    }

    @Override
    public Kernel cpu() {
        return this::run;
    }

    private void run(KernelContext c) {
        Meeting meeting = c.service(Meeting.class);
        var made = new KeyedCommunicator(
                (int) c.input(0).getLong(0), (int) c.input(2).getLong(0), (int)
                        c.input(1).getLong(0));
        Duration wait = timeoutSeconds > 0 ? Duration.ofMillis((long) (timeoutSeconds * 1e3)) : meeting.deadline();
        var wish = new Meeting.GroupWish(made.key(), made.size(), c.device(), made.rank(), wait);
        Cancellation cancellation = c.cancellation();
        Completion completion = c.defer();
        meeting.join(wish, cancellation, (_, error) -> {
            if (error != null) {
                completion.fail(error);
                return;
            }
            c.set(0, ResourceHandle.tensor("", c.node(), made, List.of()));
            completion.done();
        });
    }
}
