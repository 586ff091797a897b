package dev.oxbow.ops.image;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.codec.JpegDecoder;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** The samples of a window (y, x, height, width) of a JPEG; only what it needs is decoded. */
@Signature(
        "DecodeAndCropJpeg(contents: string, crop_window: int32) -> (image: uint8) {channels: int = 0; ratio: int = 1; fancy_upscaling: bool = true; try_recover_truncated: bool = false; acceptable_fraction: float = 1; dct_method: string = \"\"}")
public record DecodeAndCropJpeg(
        int channels,
        int ratio,
        boolean fancyUpscaling,
        boolean tryRecoverTruncated,
        float acceptableFraction,
        String dctMethod)
        implements ImageFiles.Decoding {

    @Override
    public JpegDecoder.Options jpeg() {
        return ImageFiles.options(channels, ratio, fancyUpscaling, tryRecoverTruncated, dctMethod);
    }

    @Override
    public String formats() {
        return "J";
    }

    @Override
    public List<TensorType> infer(InferenceContext c) {
        require(
                c.shape(1).isCompatibleWith(Shape.of(4)),
                INVALID_ARGUMENT,
                "crop_window must have four elements, got shape %s",
                c.shape(1));
        return ImageFiles.Decoding.super.infer(c);
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor w = c.input(1);
            int[] v = new int[4];
            for (int i = 0; i < 4; i++) v[i] = (int) w.getLong(i);
            byte[] file = (byte[]) c.input(0).objects()[0];
            ImageFiles.decode(c, file, this, new JpegDecoder.Window(v[1], v[0], v[3], v[2]));
        };
    }
}
