package dev.oxbow.ops.io;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Opening;
import dev.oxbow.tensor.DType;
import java.util.List;

/** Reads a tensor from files of the first format of checkpoints; which shard is looked at first changes nothing. */
@Signature(
        "Restore(file_pattern: string, tensor_name: string) -> (tensor: dt) {dt: type; preferred_shard: int = -1} stateful")
public record Restore(DType dt, long preferredShard) implements NotDifferentiable, Opening {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        for (int i = 0; i < c.inputCount(); i++) c.single(i);
        return List.of(TensorType.of(dt));
    }

    @Override
    public Kernel cpu() {
        return c -> SliceFiles.restore(
                c,
                SliceFiles.open(FileNames.scalar(c, 0, "Input 0 (file_pattern)")),
                0,
                FileNames.scalar(c, 1, "Input 1 (tensor_name)"),
                "",
                dt);
    }
}
