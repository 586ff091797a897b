package dev.oxbow.ops.summary;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.wire.event.Summaries;
import dev.oxbow.wire.proto.Summary;

/** Writes how elements are spread. */
@Signature(
        "WriteHistogramSummary(writer: resource, step: int64, tag: string, values: T) -> () {T: type in [FLOAT DOUBLE INT32 UINT8 INT16 INT8 INT64 BFLOAT16 UINT16 HALF UINT32 UINT64 BOOL] = FLOAT} stateful")
public record WriteHistogramSummary() implements Writing.OfSummary {

    @Override
    public Summary summary(KernelContext c) {
        return Describing.of(Summaries.histogram(Describing.text(c, 2, "tag"), c.input(3)));
    }
}
