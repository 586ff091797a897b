package dev.oxbow.ops.summary;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;

/** Opens a file in a folder for a writer, unless it has one. */
@Signature(
        "CreateSummaryFileWriter(writer: resource, logdir: string, max_queue: int32, flush_millis: int32, filename_suffix: string) -> () stateful")
public record CreateSummaryFileWriter() implements Writing.On {

    @Override
    public void act(KernelContext c, EventWriter writer) {
        writer.open(
                Describing.text(c, 1, "logdir"),
                c.input(2).getLong(0),
                c.input(3).getLong(0),
                Describing.text(c, 4, "filename_suffix"));
    }
}
