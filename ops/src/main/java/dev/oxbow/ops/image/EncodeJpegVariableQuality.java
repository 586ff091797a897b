package dev.oxbow.ops.image;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.codec.JpegEncoder;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** An image as JPEG of a quality that is an input. */
@Signature("EncodeJpegVariableQuality(images: uint8, quality: int32) -> (contents: string)")
public record EncodeJpegVariableQuality() implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Arguments.rank("images", c.shape(0), 3);
        c.scalar(1);
        return List.of(new TensorType(DType.STRING, Shape.SCALAR));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            int quality = (int) c.input(1).getLong(0);
            require(quality >= 0 && quality <= 100, INVALID_ARGUMENT, "quality must be in [0,100], got %d", quality);
            JpegEncoder.Options options =
                    new JpegEncoder.Options(Math.max(1, quality), true, false, true, 300, 300, "");
            c.output(0).objects()[0] = EncodeJpeg.encoded(c.input(0), 0, options);
        };
    }
}
