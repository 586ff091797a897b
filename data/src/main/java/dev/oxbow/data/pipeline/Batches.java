package dev.oxbow.data.pipeline;

import java.util.Iterator;
import java.util.List;

/**
 * The examples of a run, epoch by epoch. The order of an epoch follows from its number, so a position is the number of an epoch
 * and of the batches used in it, whatever the number of workers.
 */
@FunctionalInterface
public interface Batches {

    /** The batches of an epoch, counted from 0, from the batch {@code from} on. */
    Feed<Batch> epoch(long epoch, long from);

    /** The same batches, of which one of several workers needs its rows only. */
    default Batches share(int rank, int ranks) {
        if (ranks == 1) return this;
        return (epoch, from) -> {
            Feed<Batch> whole = epoch(epoch, from);
            return new Feed<>() {
                @Override
                public boolean hasNext() {
                    return whole.hasNext();
                }

                @Override
                public Batch next() {
                    try (Batch b = whole.next()) {
                        return b.share(rank, ranks);
                    }
                }

                @Override
                public boolean isReady() {
                    return whole.isReady();
                }

                @Override
                public List<StageTime> stages() {
                    return whole.stages();
                }

                @Override
                public void close() {
                    whole.close();
                }
            };
        };
    }

    /** The same batches in each epoch; whatever gives them makes new ones each time, since they are closed after use. */
    static Batches of(Iterable<Batch> all) {
        return (_, from) -> {
            Iterator<Batch> each = all.iterator();
            for (long i = 0; i < from && each.hasNext(); i++) each.next().close();
            return Feed.of(each);
        };
    }

    /** The batches of a pipeline; a worker computes only its rows of each. */
    static Batches of(Pipeline<Batch> pipeline) {
        return new Batches() {
            @Override
            public Feed<Batch> epoch(long epoch, long from) {
                return pipeline.epoch(epoch, from);
            }

            @Override
            public Batches share(int rank, int ranks) {
                return of(pipeline.share(rank, ranks));
            }
        };
    }
}
