package dev.oxbow.ops.summary;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.event.Summaries;
import dev.oxbow.wire.proto.Summary;

/** The same with the rate as an input. */
@Signature(
        "AudioSummaryV2(tag: string, tensor: float, sample_rate: float) -> (summary: string) {max_outputs: int = 3 >= 1}")
public record AudioSummaryV2(long maxOutputs) implements Describing {

    @Override
    public Summary summary(KernelContext c) {
        Tensor rate = c.input(2);
        require(rate.size() == 1, INVALID_ARGUMENT, "sample_rate must be scalar, got shape %s", rate.shape());
        return Summaries.audio(Describing.text(c, 0, "Tag"), c.input(1), (float) rate.getDouble(0), maxOutputs);
    }
}
