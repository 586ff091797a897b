package dev.oxbow.ops.summary;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.wire.proto.Summary;
import java.util.HashSet;
import java.util.Set;

/** The values of several summaries as one; a tag comes once. */
@Signature("MergeSummary(inputs: N*string) -> (summary: string) {N: int >= 1}")
public record MergeSummary() implements Describing {

    @Override
    public Summary summary(KernelContext c) {
        Summary.Builder all = Summary.newBuilder();
        Set<String> tags = new HashSet<>();
        for (int i = 0; i < c.inputCount(); i++) {
            for (Object bytes : c.input(i).objects()) {
                for (Summary.Value v : parse((byte[]) bytes).getValueList()) {
                    require(
                            v.getTag().isEmpty() || tags.add(v.getTag()),
                            INVALID_ARGUMENT,
                            "Duplicate tag %s found in summary inputs",
                            v.getTag());
                    all.addValue(v);
                }
            }
        }
        return all.build();
    }

    static Summary parse(byte[] bytes) {
        try {
            return Summary.parseFrom(bytes);
        } catch (InvalidProtocolBufferException e) {
            throw new OxbowException(
                    INVALID_ARGUMENT, "Could not parse one of the summary inputs: " + e.getMessage(), e);
        }
    }
}
