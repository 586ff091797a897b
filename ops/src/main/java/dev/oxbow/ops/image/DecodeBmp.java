package dev.oxbow.ops.image;

import dev.oxbow.graph.Signature;

/** The samples of a BMP. */
@Signature("DecodeBmp(contents: string) -> (image: uint8) {channels: int = 0}")
public record DecodeBmp(int channels) implements ImageFiles.Decoding {

    @Override
    public String formats() {
        return "B";
    }
}
