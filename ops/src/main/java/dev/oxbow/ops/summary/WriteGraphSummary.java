package dev.oxbow.ops.summary;

import com.google.protobuf.ByteString;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.wire.proto.Event;

/** Writes a graph. */
@Signature("WriteGraphSummary(writer: resource, step: int64, tensor: string) -> () stateful")
public record WriteGraphSummary() implements Writing.OfStep {

    @Override
    public void fill(KernelContext c, Event.Builder event) {
        event.setGraphDef(ByteString.copyFrom(Describing.bytes(c, 2, "tensor")));
    }
}
