package dev.oxbow.collective.algorithm;

import dev.oxbow.net.Sink;
import java.util.function.LongConsumer;

/**
 * What an algorithm works with: its rank in the group and messages to the others. Counts are in elements of the
 * collective's dtype. {@code slot} tells apart the messages of one collective between the same two ranks; messages with
 * the same slot are matched in order. {@code then} runs later, never inside the call that got it. A message that fails
 * ends the collective on every rank; its {@code then} is not run.
 */
public interface Exchange {
    int rank();

    int size();

    /** Bytes of one element. */
    int width();

    /** Splits of a buffer into messages are made at multiples of so many elements. */
    default int grain() {
        return 1;
    }

    /** Sends elements, which stay as they are until {@code then}. */
    void send(int to, int slot, long address, long count, Runnable then);

    /** Receives elements into memory, whose content is undefined until {@code then}. */
    void receive(int from, int slot, long address, long count, Runnable then);

    /** Receives elements through a sink, whose offsets and lengths are in bytes. */
    void receive(int from, int slot, long count, Sink sink, Runnable then);

    /** Receives elements and combines each with the one in memory: {@code a[i] = a[i] op received[i]}. */
    default void receiveReduce(int from, int slot, long address, long count, Runnable then) {
        int width = width();
        receive(from, slot, count, (at, offset, length) -> reduce(at, address + offset, length / width), then);
    }

    /** Whether elements may be combined in any order. */
    default boolean isCommutative() {
        return false;
    }

    /** Combines elements of this rank: {@code to[i] = to[i] op from[i]}. */
    void reduce(long from, long to, long count);

    /**
     * Ends the reduction of elements that hold the contribution of every rank: a mean is divided here, and values take
     * the form in which they will reach the other ranks. Called once for each element of the group, by one rank or, where
     * all ranks compute it alike, by all of them; before the element is passed on.
     */
    void complete(long address, long count);

    void copy(long from, long to, long count);

    /** Copies to memory which other ranks see in place and have read before. */
    default void publish(long from, long to, long count) {
        copy(from, to, count);
    }

    /** Memory for {@code count} elements that lives until the collective ends; visible to peers in place where possible. */
    long scratch(long count);

    /** What is done in every round of a rank, because it waits for memory that others write. */
    interface Work {
        /** Does what can be done; when it says that nothing was, this rank sleeps until a message comes. */
        boolean step();

        /** The ranks without which it can not go on. */
        int[] waitsFor();

        /** After so many nanoseconds without a message it is worth another step; for ever where only messages change anything. */
        default long againNanos() {
            return Long.MAX_VALUE;
        }
    }

    /** Does this once all ranks have made the call, never inside of the call that got it. */
    default void whenAgreed(Runnable then) {
        throw new IllegalStateException("small calls are not agreed on by themselves");
    }

    /** A number under which all other ranks see memory of {@link #scratch} or of the collective in place, or -1. */
    default long share(long address, long count) {
        return -1;
    }

    /** Where memory lies that another rank shares under this number; valid while something is borrowed from that rank. */
    default long shared(int from, long reference, long count) {
        throw new IllegalStateException("rank " + from + " shares no memory");
    }

    /** Sends elements which the other rank may keep in place and read again, until {@code then}. */
    default void lend(int to, int slot, long address, long count, Runnable then) {
        send(to, slot, address, count, then);
    }

    /** Receives elements that another rank lends; they are where {@code then} is told until {@link #giveBack}. */
    default void borrow(int from, int slot, long count, LongConsumer then) {
        long copy = scratch(count);
        receive(from, slot, copy, count, () -> then.accept(copy));
    }

    /**
     * Gives back all that was borrowed. False when an owner has taken its memory back, so that what was read there may be
     * anything: the collective then fails without further ado.
     */
    default boolean giveBack() {
        return true;
    }

    /** Does this work in every round from the next on, until the collective ends. */
    default void poll(Work work) {
        throw new IllegalStateException("memory that is not shared does not change by itself");
    }

    /** Makes a rank that sleeps do another round. */
    default void wake(int rank) {}

    /** Lets time pass for other ranks, where there are more of them than cores. */
    default void pause() {}

    /** This rank is done: its result is in place and none of its messages is pending. May come inside the start. */
    void finish();
}
