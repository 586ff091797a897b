package dev.oxbow.ops.io;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Opening;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.wire.CheckpointReader;
import dev.oxbow.wire.SliceFileReader;
import dev.oxbow.wire.TensorSlice;
import java.util.List;

/** Reads tensors, or slices of them, from a checkpoint of either format. */
@Signature(
        "RestoreV2(prefix: string, tensor_names: string, shape_and_slices: string) -> (tensors: dtypes) {dtypes: list(type) >= 1} stateful")
public record RestoreV2(List<DType> dtypes) implements NotDifferentiable, Opening {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return dtypes.stream().map(TensorType::of).toList();
    }

    @Override
    public Kernel cpu() {
        return c -> {
            FileNames.checkNames(c, dtypes.size());
            String prefix = FileNames.scalar(c, 0, "prefix");
            if (SliceFileReader.isOnly(Arguments.path(prefix))) {
                restoreOld(c, prefix);
                return;
            }
            try (var reader = CheckpointReader.open(Arguments.path(prefix))) {
                for (int i = 0; i < dtypes.size(); i++) restore(c, reader, i);
            }
        };
    }

    /** What has no index may be a checkpoint of the first format. */
    private void restoreOld(KernelContext c, String prefix) {
        SliceFileReader reader = SliceFiles.open(prefix);
        for (int i = 0; i < dtypes.size(); i++)
            SliceFiles.restore(
                    c, reader, i, FileNames.text(c.input(1), i), FileNames.text(c.input(2), i), dtypes.get(i));
    }

    private void restore(KernelContext c, CheckpointReader reader, int i) {
        String name = FileNames.text(c.input(1), i), spec = FileNames.text(c.input(2), i);
        Shape full = reader.shape(name);
        require(
                reader.dtype(name) == dtypes.get(i),
                INVALID_ARGUMENT,
                "tensor_name = %s; expected dtype %s does not equal original dtype %s",
                name,
                dtypes.get(i),
                reader.dtype(name));
        TensorSlice slice = TensorSlice.full(full.rank());
        if (!spec.isEmpty()) {
            TensorSlice.Spec wanted = TensorSlice.parseSpec(spec);
            require(
                    wanted.fullShape().equals(full),
                    INVALID_ARGUMENT,
                    "tensor_name = %s; shape in shape_and_slice spec %s does not match the shape stored in checkpoint: %s",
                    name,
                    wanted.fullShape(),
                    full);
            slice = wanted.slice();
        }
        reader.readInto(name, slice, c.allocate(i, slice.shapeIn(full)));
    }
}
