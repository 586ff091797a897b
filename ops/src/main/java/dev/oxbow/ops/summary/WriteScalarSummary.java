package dev.oxbow.ops.summary;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.wire.event.Summaries;
import dev.oxbow.wire.proto.Summary;

/** Writes a number. */
@Signature(
        "WriteScalarSummary(writer: resource, step: int64, tag: string, value: T) -> () {T: type in [FLOAT DOUBLE INT32 UINT8 INT16 INT8 INT64 BFLOAT16 UINT16 HALF UINT32 UINT64]} stateful")
public record WriteScalarSummary() implements Writing.OfSummary {

    @Override
    public Summary summary(KernelContext c) {
        require(
                c.input(3).size() == 1,
                INVALID_ARGUMENT,
                "value must be scalar, got shape %s",
                c.input(3).shape());
        return Describing.of(
                Summaries.scalar(Describing.text(c, 2, "tag"), c.input(3).getDouble(0)));
    }
}
