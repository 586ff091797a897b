package dev.oxbow.data.pipeline;

import java.util.Iterator;
import java.util.List;
import java.util.function.UnaryOperator;

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
        return ranks == 1 ? this : each(b -> b.share(rank, ranks));
    }

    /** The same batches without a row, for one who only helps others. */
    default Batches none() {
        return each(Batch::none);
    }

    private Batches each(UnaryOperator<Batch> part) {
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
                        return part.apply(b);
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
