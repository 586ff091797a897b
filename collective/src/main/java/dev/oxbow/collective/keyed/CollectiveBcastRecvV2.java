package dev.oxbow.collective.keyed;

import dev.oxbow.graph.Attr;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Arguments;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** Gets the value that one device of the group sends. */
@Signature(
        "CollectiveBcastRecvV2(group_size: int32, group_key: int32, instance_key: int32, shape: Tshape) -> (data: T) {T: type in [BOOL FLOAT HALF DOUBLE INT32 INT64]; Tshape: type in [INT32 INT64] = INT32; communication_hint: string = \"auto\"; timeout_seconds: float = 0.0} stateful")
public record CollectiveBcastRecvV2(@Attr("T") DType t, String communicationHint, float timeoutSeconds)
        implements KeyedOp {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        for (int i = 0; i < 3; i++) c.scalar(i);
        c.vector(3);
        return List.of(TensorType.of(t));
    }

    @Override
    public Kernel cpu() {
        return c -> KeyedCall.start(
                c,
                KeyedWork.broadcast(t, Shape.of(Arguments.longs(c.input(3))), false),
                KeyedOp.keys(c, 0),
                timeoutSeconds);
    }
}
