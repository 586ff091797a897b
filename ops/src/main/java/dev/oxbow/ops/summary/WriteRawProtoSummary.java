package dev.oxbow.ops.summary;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.wire.proto.Summary;

/** Writes summaries that were made elsewhere. */
@Signature("WriteRawProtoSummary(writer: resource, step: int64, tensor: string) -> () stateful")
public record WriteRawProtoSummary() implements Writing.OfSummary {

    @Override
    public Summary summary(KernelContext c) {
        Summary.Builder all = Summary.newBuilder();
        for (Object s : c.input(2).objects()) all.mergeFrom(MergeSummary.parse((byte[]) s));
        return all.build();
    }
}
