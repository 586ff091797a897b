package dev.oxbow.ops.image;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.UNIMPLEMENTED;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.codec.JpegEncoder;
import dev.oxbow.kernels.codec.Picture;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** An image as JPEG, its coefficients those of libjpeg. */
@Signature(
        "EncodeJpeg(image: uint8) -> (contents: string) {format: string in [\"\" \"grayscale\" \"rgb\"] = \"\"; quality: int = 95; progressive: bool = false; optimize_size: bool = false; chroma_downsampling: bool = true; density_unit: string in [\"in\" \"cm\"] = \"in\"; x_density: int = 300; y_density: int = 300; xmp_metadata: string = \"\"}")
public record EncodeJpeg(
        String format,
        int quality,
        boolean progressive,
        boolean optimizeSize,
        boolean chromaDownsampling,
        String densityUnit,
        int xDensity,
        int yDensity,
        String xmpMetadata)
        implements NotDifferentiable {
    private static final int LONGEST_XMP = 65000;

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Arguments.rank("image", c.shape(0), 3);
        return List.of(new TensorType(DType.STRING, Shape.SCALAR));
    }

    @Override
    public Kernel cpu() {
        require(quality >= 0 && quality <= 100, INVALID_ARGUMENT, "quality must be in [0,100], got %d", quality);
        require(!progressive, UNIMPLEMENTED, "only baseline files are written, got progressive = true");
        require(
                xmpMetadata.length() < LONGEST_XMP
                        && xDensity >= 0
                        && xDensity < 65536
                        && yDensity >= 0
                        && yDensity < 65536,
                INVALID_ARGUMENT,
                "xmp_metadata has %d characters and densities are %d and %d, which do not fit into their fields",
                xmpMetadata.length(),
                xDensity,
                yDensity);
        JpegEncoder.Options options = new JpegEncoder.Options(
                Math.max(1, quality),
                chromaDownsampling,
                optimizeSize,
                densityUnit.equals("in"),
                xDensity,
                yDensity,
                xmpMetadata);
        int wanted = format.isEmpty() ? 0 : format.equals("rgb") ? 3 : 1;
        return c -> c.output(0).objects()[0] = encoded(c.input(0), wanted, options);
    }

    /** An image of one or three channels, or of as many as are wanted. */
    static byte[] encoded(Tensor image, int wanted, JpegEncoder.Options options) {
        Shape s = image.shape();
        long channels = s.dim(2);
        require(
                wanted == 0 ? channels == 1 || channels == 3 : channels == wanted,
                INVALID_ARGUMENT,
                "image must have %s channels, but got %s",
                wanted == 0 ? "1 or 3" : wanted,
                s);
        require(
                s.dim(0) > 0 && s.dim(1) > 0 && s.dim(0) < 65536 && s.dim(1) < 65536,
                INVALID_ARGUMENT,
                "image must have 1 to 65535 rows and columns, got %s",
                s);
        byte[] samples = Memory.bytes(image.address(), Math.toIntExact(image.size()));
        return JpegEncoder.encode(new Picture((int) s.dim(1), (int) s.dim(0), (int) channels, samples), options);
    }
}
