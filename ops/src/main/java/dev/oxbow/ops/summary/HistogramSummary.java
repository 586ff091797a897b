package dev.oxbow.ops.summary;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.wire.event.Summaries;
import dev.oxbow.wire.proto.Summary;

/** How the elements of a tensor are spread over buckets. */
@Signature(
        "HistogramSummary(tag: string, values: T) -> (summary: string) {T: type in [FLOAT DOUBLE INT32 UINT8 INT16 INT8 INT64 BFLOAT16 UINT16 HALF UINT32 UINT64] = FLOAT}")
public record HistogramSummary() implements Describing {

    @Override
    public Summary summary(KernelContext c) {
        return Describing.of(Summaries.histogram(Describing.text(c, 0, "tags"), c.input(1)));
    }
}
