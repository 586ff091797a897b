package dev.oxbow.ops.summary;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.wire.event.Summaries;
import dev.oxbow.wire.proto.Summary;
import dev.oxbow.wire.proto.SummaryMetadata;

/** A tensor as it is, under a tag, with what tells readers how to show it. */
@Signature(
        "TensorSummaryV2(tag: string, tensor: T, serialized_summary_metadata: string) -> (summary: string) {T: type}")
public record TensorSummaryV2() implements Describing {

    @Override
    public Summary summary(KernelContext c) {
        return Describing.of(Summaries.tensor(Describing.text(c, 0, "tag"), c.input(1), metadata(c, 2)));
    }

    static SummaryMetadata metadata(KernelContext c, int i) {
        try {
            return SummaryMetadata.parseFrom(Describing.bytes(c, i, "serialized_summary_metadata"));
        } catch (InvalidProtocolBufferException e) {
            throw new OxbowException(INVALID_ARGUMENT, "the metadata of a summary is no message: " + e.getMessage(), e);
        }
    }
}
