package dev.oxbow.ops.summary;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;

/** Writes an event that was made elsewhere. */
@Signature("ImportEvent(writer: resource, event: string) -> () stateful")
public record ImportEvent() implements Writing.On {

    @Override
    public void act(KernelContext c, EventWriter writer) {
        writer.write(Writing.parse(Describing.bytes(c, 1, "event")).toByteArray());
    }
}
