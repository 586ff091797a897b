package dev.oxbow.ops.summary;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;

/** Ends the file of a writer. */
@Signature("CloseSummaryWriter(writer: resource) -> () stateful")
public record CloseSummaryWriter() implements Writing.On {

    @Override
    public void act(KernelContext c, EventWriter writer) {
        writer.close();
    }
}
