package dev.oxbow.train;

import java.util.Iterator;

/** The examples of a run, epoch by epoch. The order of an epoch follows from its number, so that it can be had again. */
@FunctionalInterface
public interface Batches {

    /** The batches of an epoch, counted from 0, from the batch {@code from} on. */
    Iterator<Batch> epoch(long epoch, long from);

    /** The same batches in each epoch; whatever gives them makes new ones each time, since they are closed after use. */
    static Batches of(Iterable<Batch> all) {
        return (_, from) -> {
            Iterator<Batch> each = all.iterator();
            for (long i = 0; i < from && each.hasNext(); i++) each.next().close();
            return each;
        };
    }
}
