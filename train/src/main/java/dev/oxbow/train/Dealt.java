package dev.oxbow.train;

import static dev.oxbow.tensor.ErrorCode.INTERNAL;

import dev.oxbow.collective.Elastic;
import dev.oxbow.data.pipeline.Batch;
import dev.oxbow.data.pipeline.Batches;
import dev.oxbow.data.pipeline.Feed;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.train.state.Position;
import java.util.NoSuchElementException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/** The batches of a job that one of its workers is dealt. */
final class Dealt implements Batches {
    private static final long PAUSE_NANOS = 20_000_000;

    private final Elastic job;
    private final ElasticLog log;
    private final Batches all;
    private final int epochs;
    private final int every;
    private Consumer<Position> keeps = _ -> {};
    private Runnable rests = () -> {};
    /** What was dealt and not trained on yet: epoch and number; null for nothing. */
    private long[] dealt;

    private boolean over;
    private boolean reports;
    private long steps;

    /** @param every after how many batches of all workers one of them keeps the state; 0 for never */
    Dealt(Elastic job, ElasticLog log, Batches all, int epochs, int every) {
        this.job = job;
        this.log = log;
        this.all = all;
        this.epochs = epochs;
        this.every = every;
    }

    void keeps(Consumer<Position> how) {
        this.keeps = how;
    }

    /** What is done when there is no batch for now, so that others do not wait for this worker's next step. */
    void rests(Runnable how) {
        this.rests = how;
    }

    /** Whether this worker is to report, since all batches are done. */
    boolean reports() {
        return reports;
    }

    /** How many batches were done when the state was kept last. */
    long steps() {
        return steps;
    }

    /** Tells that a batch is done, behind its push. */
    Callback done() {
        return new Callback() {
            @Override
            public void step(Trainer t, double loss) {
                log.pushed(dealt[0], dealt[1]);
                job.deal("done %d %d".formatted(dealt[0], dealt[1]));
                dealt = null;
                if (job.isDismissed()) t.stop();
            }
        };
    }

    /** Asks until there is a batch, or nothing more to do. */
    private void ask() {
        for (boolean rested = false; dealt == null && !over; ) {
            String[] said = job.deal("next %d %d".formatted(epochs, every)).split(" ");
            switch (said[0]) {
                case "batch" -> dealt = new long[] {Long.parseLong(said[1]), Long.parseLong(said[2])};
                case "keep" -> {
                    steps = Long.parseLong(said[1]);
                    keeps.accept(new Position(steps, Long.parseLong(said[2]), Long.parseLong(said[3])));
                    job.deal("kept");
                }
                case "wait" -> {
                    if (!rested) rests.run();
                    rested = true;
                    if (job.isDismissed()) over = true;
                    else LockSupport.parkNanos(PAUSE_NANOS);
                }
                case "report" -> {
                    steps = Long.parseLong(said[1]);
                    reports = true;
                    over = true;
                }
                case "end" -> over = true;
                default -> throw new OxbowException(INTERNAL, "elastic: the launcher said " + String.join(" ", said));
            }
        }
    }

    @Override
    public Feed<Batch> epoch(long epoch, long from) {
        return new Feed<>() {
            private Feed<Batch> feed;
            private long at;

            @Override
            public boolean hasNext() {
                while (true) {
                    ask();
                    if (dealt == null || dealt[0] > epoch) return false;
                    if (seek()) return true;
                    log.ended(dealt[0], at);
                    job.deal("past %d %d".formatted(dealt[0], at));
                    dealt = null;
                }
            }

            /** Goes to the batch that was dealt; false where the epoch has ended before it. */
            private boolean seek() {
                if (feed == null || at > dealt[1] || dealt[0] < epoch) {
                    close();
                    at = 0; // so that it is known how many there are, if fewer
                    feed = all.epoch(dealt[0], 0);
                }
                for (; at < dealt[1] && feed.hasNext(); at++) feed.next().close();
                return at == dealt[1] && feed.hasNext();
            }

            @Override
            public Batch next() {
                if (!hasNext()) throw new NoSuchElementException();
                Batch b = feed.next();
                at++;
                if (dealt[0] < epoch) close(); // one of an epoch before, of a worker that was lost
                return b;
            }

            @Override
            public void close() {
                if (feed != null) feed.close();
                feed = null;
            }
        };
    }
}
