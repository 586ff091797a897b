package dev.oxbow.ops.summary;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.wire.event.Summaries;
import dev.oxbow.wire.proto.Summary;

/** Writes a tensor with what tells readers how to show it. */
@Signature(
        "WriteSummary(writer: resource, step: int64, tensor: T, tag: string, summary_metadata: string) -> () {T: type} stateful")
public record WriteSummary() implements Writing.OfSummary {

    @Override
    public Summary summary(KernelContext c) {
        return Describing.of(
                Summaries.tensor(Describing.text(c, 3, "tag"), c.input(2), TensorSummaryV2.metadata(c, 4)));
    }
}
