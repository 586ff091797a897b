package dev.oxbow.ops.summary;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.event.Summaries;
import dev.oxbow.wire.proto.Summary;
import java.nio.charset.StandardCharsets;

/** Numbers, each under the tag at its place. */
@Signature(
        "ScalarSummary(tags: string, values: T) -> (summary: string) {T: type in [FLOAT DOUBLE INT32 UINT8 INT16 INT8 INT64 BFLOAT16 UINT16 HALF UINT32 UINT64]}")
public record ScalarSummary() implements Describing {

    @Override
    public Summary summary(KernelContext c) {
        Tensor tags = c.input(0), values = c.input(1);
        require(
                tags.shape().equals(values.shape()),
                INVALID_ARGUMENT,
                "tags and values are not the same shape: %s != %s",
                tags.shape(),
                values.shape());
        Summary.Builder all = Summary.newBuilder();
        for (int i = 0; i < tags.size(); i++)
            all.addValue(Summaries.scalar(
                    new String((byte[]) tags.objects()[i], StandardCharsets.UTF_8), values.getDouble(i)));
        return all.build();
    }
}
