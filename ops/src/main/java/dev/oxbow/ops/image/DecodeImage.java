package dev.oxbow.ops.image;

import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;

/** The samples of an image of any known format; floats are in [0, 1]. */
@Signature(
        "DecodeImage(contents: string) -> (image: dtype) {channels: int = 0; dtype: type in [UINT8 UINT16 FLOAT] = UINT8; expand_animations: bool = true}")
public record DecodeImage(int channels, DType dtype, boolean expandAnimations) implements ImageFiles.Decoding {

    @Override
    public String formats() {
        return "JPGB";
    }

    @Override
    public boolean animated() {
        return expandAnimations;
    }
}
