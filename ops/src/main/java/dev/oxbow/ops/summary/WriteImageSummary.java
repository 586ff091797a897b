package dev.oxbow.ops.summary;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.wire.event.Summaries;
import dev.oxbow.wire.proto.Summary;

/** Writes the first pictures of a batch. */
@Signature(
        "WriteImageSummary(writer: resource, step: int64, tag: string, tensor: T, bad_color: uint8) -> () {max_images: int = 3 >= 1; T: type in [UINT8 DOUBLE FLOAT HALF] = FLOAT} stateful")
public record WriteImageSummary(long maxImages) implements Writing.OfSummary {

    @Override
    public Summary summary(KernelContext c) {
        return Summaries.images(Describing.text(c, 2, "tag"), c.input(3), maxImages, c.input(4));
    }
}
