package dev.oxbow.ops.summary;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.event.Summaries;
import dev.oxbow.wire.proto.Summary;
import java.util.Arrays;

/** The first pictures of a batch [pictures, height, width, channels], as PNG. */
@Signature(
        "ImageSummary(tag: string, tensor: T) -> (summary: string) {max_images: int = 3 >= 1; T: type in [UINT8 FLOAT HALF DOUBLE] = FLOAT; bad_color: tensor = uint8 [255 0 0 255]}")
public record ImageSummary(long maxImages, Tensor badColor) implements Describing {

    @Override
    public Summary summary(KernelContext c) {
        return Summaries.images(Describing.text(c, 0, "Tags"), c.input(1), maxImages, badColor);
    }

    @Override
    public boolean equals(Object o) {
        return o instanceof ImageSummary s
                && s.maxImages == maxImages
                && s.badColor.shape().equals(badColor.shape())
                && Arrays.equals(s.badColor.bytes(), badColor.bytes());
    }

    @Override
    public int hashCode() {
        return Long.hashCode(maxImages) * 31 + Arrays.hashCode(badColor.bytes());
    }
}
