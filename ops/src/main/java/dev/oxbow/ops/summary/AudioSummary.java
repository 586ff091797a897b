package dev.oxbow.ops.summary;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.wire.event.Summaries;
import dev.oxbow.wire.proto.Summary;

/** The first sounds of a batch [sounds, frames] or [sounds, frames, channels], as WAV. */
@Signature(
        "AudioSummary(tag: string, tensor: float) -> (summary: string) {sample_rate: float; max_outputs: int = 3 >= 1}")
public record AudioSummary(float sampleRate, long maxOutputs) implements Describing {

    @Override
    public Summary summary(KernelContext c) {
        return Summaries.audio(Describing.text(c, 0, "Tag"), c.input(1), sampleRate, maxOutputs);
    }
}
