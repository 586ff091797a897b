package dev.oxbow.ops.image;

import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;

/** The samples of a PNG. */
@Signature("DecodePng(contents: string) -> (image: dtype) {channels: int = 0; dtype: type in [UINT8 UINT16] = UINT8}")
public record DecodePng(int channels, DType dtype) implements ImageFiles.Decoding {}
