package dev.oxbow.train;

import java.util.Iterator;

/** The examples of a run, epoch by epoch. The order of an epoch follows from its number, so that it can be had again. */
@FunctionalInterface
public interface Batches {

    /** The batches of an epoch, counted from 0, from the batch {@code from} on. */
    Iterator<Batch> epoch(long epoch, long from);
}
