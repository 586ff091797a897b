package dev.oxbow.ops.image;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.codec.JpegDecoder;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** Height, width and channels of a JPEG, by its header alone. */
@Signature(
        "ExtractJpegShape(contents: string) -> (image_shape: output_type) {output_type: type in [INT32 INT64] = INT32}")
public record ExtractJpegShape(DType outputType) implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.scalar(0);
        return List.of(new TensorType(outputType, Shape.of(3)));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            JpegDecoder.Header h = JpegDecoder.header((byte[]) c.input(0).objects()[0]);
            c.output(0).setLong(0, h.height());
            c.output(0).setLong(1, h.width());
            c.output(0).setLong(2, h.components());
        };
    }
}
