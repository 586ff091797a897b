package dev.oxbow.collective.keyed;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import java.util.List;

/** The inputs of all devices of a group combined, on each of them. */
@Signature(
        "CollectiveReduce(input: T) -> (data: T) {T: type in [BFLOAT16 FLOAT HALF DOUBLE INT32 INT64]; group_size: int; group_key: int; instance_key: int; merge_op: string in [\"Min\" \"Max\" \"Mul\" \"Add\"]; final_op: string in [\"Id\" \"Div\"]; subdiv_offsets: list(int); wait_for: list(int) = []; communication_hint: string = \"auto\"; timeout_seconds: float = 0.0} stateful")
public record CollectiveReduce(
        int groupSize,
        int groupKey,
        int instanceKey,
        String mergeOp,
        String finalOp,
        List<Long> subdivOffsets,
        List<Long> waitFor,
        String communicationHint,
        float timeoutSeconds)
        implements KeyedOp {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(c.input(0).deref());
    }

    @Override
    public Kernel cpu() {
        return c -> KeyedCall.start(
                c,
                KeyedWork.reducing(KeyedWork.Kind.REDUCE, c.input(0), mergeOp, finalOp),
                new Keys(groupKey, groupSize, instanceKey, -1),
                timeoutSeconds);
    }
}
