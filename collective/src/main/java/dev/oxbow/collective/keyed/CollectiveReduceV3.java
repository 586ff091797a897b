package dev.oxbow.collective.keyed;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import java.util.List;

/** The inputs of the devices that a row of the assignment names by rank combined, on each of them. */
@Signature(
        "CollectiveReduceV3(input: T, communicator: resource, group_assignment: int32) -> (data: T) {T: type in [BFLOAT16 FLOAT HALF DOUBLE INT32 INT64]; reduction: string in [\"Min\" \"Max\" \"Mul\" \"Add\"]; timeout_seconds: float = 0.0} stateful")
public record CollectiveReduceV3(String reduction, float timeoutSeconds) implements KeyedOp {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(c.input(0).deref());
    }

    @Override
    public Kernel cpu() {
        return c -> KeyedCall.start(
                c,
                KeyedWork.reducing(KeyedWork.Kind.REDUCE, c.input(0), reduction, "Id"),
                KeyedCommunicator.of(c, 1).keys(c.input(2)),
                timeoutSeconds);
    }
}
