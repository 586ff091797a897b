package dev.oxbow.ops.summary;

import static dev.oxbow.tensor.ErrorCode.UNIMPLEMENTED;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.OxbowException;

/** Would write to a database; event files are what there is. */
@Signature(
        "CreateSummaryDbWriter(writer: resource, db_uri: string, experiment_name: string, run_name: string, user_name: string) -> () stateful")
public record CreateSummaryDbWriter() implements Writing.On {

    @Override
    public void act(KernelContext c, EventWriter writer) {
        throw new OxbowException(
                UNIMPLEMENTED,
                "summaries go to event files, not to the database " + Describing.text(c, 1, "db_uri")
                        + "; use CreateSummaryFileWriter");
    }
}
