package dev.oxbow.ops.summary;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.wire.event.Summaries;
import dev.oxbow.wire.proto.Summary;

/** Writes the first sounds of a batch. */
@Signature(
        "WriteAudioSummary(writer: resource, step: int64, tag: string, tensor: float, sample_rate: float) -> () {max_outputs: int = 3 >= 1} stateful")
public record WriteAudioSummary(long maxOutputs) implements Writing.OfSummary {

    @Override
    public Summary summary(KernelContext c) {
        return Summaries.audio(
                Describing.text(c, 2, "tag"), c.input(3), (float) c.input(4).getDouble(0), maxOutputs);
    }
}
