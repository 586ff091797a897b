package dev.oxbow.parallel;

import dev.oxbow.runtime.RunOptions;
import dev.oxbow.runtime.Session;
import dev.oxbow.tensor.Results;
import dev.oxbow.tensor.Tensor;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** Rows that workers of parameter servers tell each other in an assembly. */
final class RowsRound implements Meeting.Round {
    private final SentRuns sent;
    private final Supplier<Session> cluster;
    private final LongSupplier tag;
    private SentRuns.Round round;

    RowsRound(SentRuns sent, Supplier<Session> cluster, LongSupplier tag) {
        this.sent = sent;
        this.cluster = cluster;
        this.tag = tag;
    }

    @Override
    public Results run(Tensor said, RunOptions options) {
        if (round == null) round = sent.rows();
        try (Tensor now = Gates.number(tag.getAsLong())) {
            return cluster.get()
                    .feed(round.tag(), now)
                    .feed(round.said(), said)
                    .fetch(round.heard())
                    .options(options)
                    .run();
        }
    }

    @Override
    public void close() {
        // it runs in the session of the cluster
    }
}
