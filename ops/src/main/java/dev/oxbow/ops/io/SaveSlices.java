package dev.oxbow.ops.io;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Changing;
import java.util.List;

/** Writes tensors, or slices of larger ones, to a file of the first format of checkpoints. */
@Signature(
        "SaveSlices(filename: string, tensor_names: string, shapes_and_slices: string, data: T) -> () {T: list(type) >= 1} stateful")
public record SaveSlices() implements NotDifferentiable, Changing {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.single(0);
        return List.of();
    }

    @Override
    public Kernel cpu() {
        return c -> SliceFiles.save(c, 3);
    }
}
