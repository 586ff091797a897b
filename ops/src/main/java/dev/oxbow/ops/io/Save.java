package dev.oxbow.ops.io;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Changing;
import java.util.List;

/** Writes tensors to a file of the first format of checkpoints. */
@Signature("Save(filename: string, tensor_names: string, data: T) -> () {T: list(type) >= 1} stateful")
public record Save() implements NotDifferentiable, Changing {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.single(0);
        return List.of();
    }

    @Override
    public Kernel cpu() {
        return c -> SliceFiles.save(c, 2);
    }
}
