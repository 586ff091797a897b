package dev.oxbow.ops.image;

import dev.oxbow.graph.Signature;
import dev.oxbow.kernels.codec.JpegDecoder;

/** The samples of a JPEG. */
@Signature(
        "DecodeJpeg(contents: string) -> (image: uint8) {channels: int = 0; ratio: int = 1; fancy_upscaling: bool = true; try_recover_truncated: bool = false; acceptable_fraction: float = 1; dct_method: string = \"\"}")
public record DecodeJpeg(
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
}
