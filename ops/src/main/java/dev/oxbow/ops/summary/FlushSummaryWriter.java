package dev.oxbow.ops.summary;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;

/** Lets readers see all that was written. */
@Signature("FlushSummaryWriter(writer: resource) -> () stateful")
public record FlushSummaryWriter() implements Writing.On {

    @Override
    public void act(KernelContext c, EventWriter writer) {
        writer.flush();
    }
}
