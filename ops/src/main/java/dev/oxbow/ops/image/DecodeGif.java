package dev.oxbow.ops.image;

import dev.oxbow.graph.Signature;

/** The frames of a GIF. */
@Signature("DecodeGif(contents: string) -> (image: uint8)")
public record DecodeGif() implements ImageFiles.Decoding {

    @Override
    public int channels() {
        return 3;
    }

    @Override
    public boolean framed() {
        return true;
    }
}
