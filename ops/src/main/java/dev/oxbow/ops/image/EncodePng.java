package dev.oxbow.ops.image;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.codec.Picture;
import dev.oxbow.kernels.codec.PngEncoder;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** Images as PNG. */
@Signature("EncodePng(image: T) -> (contents: string) {compression: int = -1; T: type in [UINT8 UINT16] = UINT8}")
public record EncodePng(int compression) implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Shape s = c.shape(0);
        Arguments.atLeast("image", s, 3);
        return List.of(new TensorType(DType.STRING, s.isRankKnown() ? s.slice(0, s.rank() - 3) : Shape.UNKNOWN));
    }

    @Override
    public Kernel cpu() {
        require(
                compression >= -1 && compression <= 9,
                INVALID_ARGUMENT,
                "compression should be in [-1,9], got %d",
                compression);
        return c -> {
            Tensor image = c.input(0);
            Shape s = image.shape();
            int r = s.rank();
            long height = s.dim(r - 3), width = s.dim(r - 2), channels = s.dim(r - 1), size = height * width * channels;
            boolean wide = image.dtype() == DType.U16;
            require(
                    channels >= 1 && channels <= 4 && height > 0 && width > 0 && size < 1 << 29,
                    INVALID_ARGUMENT,
                    "image must have 1, 2, 3, or 4 channels and some rows and columns, got %s",
                    s);
            int bytes = (int) size * (wide ? 2 : 1);
            for (int i = 0; i < c.output(0).size(); i++) {
                byte[] samples = Memory.bytes(image.address() + (long) i * bytes, bytes);
                Picture p = new Picture((int) width, (int) height, (int) channels, samples);
                c.output(0).objects()[i] = PngEncoder.encode(p, wide, compression);
            }
        };
    }
}
