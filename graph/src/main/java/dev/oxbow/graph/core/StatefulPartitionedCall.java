package dev.oxbow.graph.core;

import dev.oxbow.graph.Attr;
import dev.oxbow.graph.Effects;
import dev.oxbow.graph.FunctionRef;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.tensor.DType;
import java.util.List;

/** Calls function {@code f}, which may have effects. */
@Signature(
        "StatefulPartitionedCall(args: Tin) -> (output: Tout) {Tin: list(type) >= 0; Tout: list(type) >= 0; f: func; config: string = \"\"; config_proto: string = \"\"; executor_type: string = \"\"} stateful")
public record StatefulPartitionedCall(@Attr("Tout") List<DType> outputs, FunctionRef f, String executorType)
        implements CoreOp {

    public StatefulPartitionedCall(List<DType> outputs, FunctionRef f) {
        this(outputs, f, "");
    }

    @Override
    public List<TensorType> infer(InferenceContext c) {
        CoreOps.requireExecutor(executorType);
        return CoreOps.inferCall(c, f, List.of());
    }

    @Override
    public Effects effects() {
        return Effects.WRITES;
    }
}
