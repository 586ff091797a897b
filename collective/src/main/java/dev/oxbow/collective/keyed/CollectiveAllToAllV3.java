package dev.oxbow.collective.keyed;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import java.util.List;

/** Of every device that a row of the assignment names by rank the rows that are for this one. */
@Signature(
        "CollectiveAllToAllV3(input: T, communicator: resource, group_assignment: int32) -> (data: T) {T: type in [BFLOAT16 FLOAT HALF DOUBLE INT32 INT64]; timeout_seconds: float = 0.0} stateful")
public record CollectiveAllToAllV3(float timeoutSeconds) implements KeyedOp {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(c.input(0).deref());
    }

    @Override
    public Kernel cpu() {
        return c -> KeyedCall.start(
                c,
                KeyedWork.of(KeyedWork.Kind.ALL_TO_ALL, c.input(0)),
                KeyedCommunicator.of(c, 1).keys(c.input(2)),
                timeoutSeconds);
    }
}
