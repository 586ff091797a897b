package dev.oxbow.collective.keyed;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import java.util.List;

/** The inputs of all devices of a group combined, of which each gets its rows. */
@Signature(
        "CollectiveReduceScatterV2(input: T, group_size: int32, group_key: int32, instance_key: int32, ordering_token: Nordering_token*resource) -> (data: T) {T: type in [BFLOAT16 FLOAT HALF DOUBLE INT32 INT64]; merge_op: string in [\"Min\" \"Max\" \"Mul\" \"Add\"]; final_op: string in [\"Id\" \"Div\"]; communication_hint: string = \"auto\"; timeout_seconds: float = 0.0; is_stateless: bool = false; Nordering_token: int = 0 >= 0; max_subdivs_per_device: int = -1} stateful")
public record CollectiveReduceScatterV2(
        String mergeOp,
        String finalOp,
        String communicationHint,
        float timeoutSeconds,
        boolean isStateless,
        int maxSubdivsPerDevice)
        implements KeyedOp {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        for (int i = 1; i < 4; i++) c.scalar(i);
        return List.of(KeyedOp.rows(c).deref());
    }

    @Override
    public Kernel cpu() {
        return c -> KeyedCall.start(
                c,
                KeyedWork.reducing(KeyedWork.Kind.REDUCE_SCATTER, c.input(0), mergeOp, finalOp),
                KeyedOp.keys(c, 1),
                timeoutSeconds);
    }
}
