package dev.oxbow.ops.io;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Changing;
import dev.oxbow.wire.CheckpointWriter;
import dev.oxbow.wire.TensorSlice;
import java.util.List;

/** Writes tensors, or slices of larger ones, to a checkpoint. */
@Signature(
        "SaveV2(prefix: string, tensor_names: string, shape_and_slices: string, tensors: dtypes) -> () {dtypes: list(type) >= 1} stateful")
public record SaveV2() implements NotDifferentiable, Changing {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of();
    }

    @Override
    public Kernel cpu() {
        return c -> {
            FileNames.checkNames(c, c.inputCount() - 3);
            try (var writer = new CheckpointWriter(Arguments.path(FileNames.scalar(c, 0, "prefix")))) {
                for (int i = 3; i < c.inputCount(); i++) {
                    String name = FileNames.text(c.input(1), i - 3L), slice = FileNames.text(c.input(2), i - 3L);
                    if (slice.isEmpty()) writer.add(name, c.input(i));
                    else writer.add(name, TensorSlice.parseSpec(slice), c.input(i));
                }
                writer.finish();
            }
        };
    }
}
