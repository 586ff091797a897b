package dev.oxbow.collective.keyed;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import java.util.List;

/** Of every device of a group the rows that are for this one, in the order of ranks. */
@Signature(
        "CollectiveAllToAllV2(input: T, group_size: int32, group_key: int32, instance_key: int32, ordering_token: Nordering_token*resource) -> (data: T) {T: type in [BFLOAT16 FLOAT HALF DOUBLE INT32 INT64]; communication_hint: string = \"auto\"; timeout_seconds: float = 0.0; is_stateless: bool = false; Nordering_token: int = 0 >= 0} stateful")
public record CollectiveAllToAllV2(String communicationHint, float timeoutSeconds, boolean isStateless)
        implements KeyedOp {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        for (int i = 1; i < 4; i++) c.scalar(i);
        return List.of(c.input(0).deref());
    }

    @Override
    public Kernel cpu() {
        return c -> KeyedCall.start(
                c, KeyedWork.of(KeyedWork.Kind.ALL_TO_ALL, c.input(0)), KeyedOp.keys(c, 1), timeoutSeconds);
    }
}
