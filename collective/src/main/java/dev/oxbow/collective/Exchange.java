package dev.oxbow.collective;

import dev.oxbow.net.Sink;

/**
 * What an algorithm works with: its rank in the group and messages to the others. Counts are in elements of the
 * collective's dtype. {@code slot} tells apart the messages of one collective between the same two ranks; messages with
 * the same slot are matched in order. {@code then} runs later, never inside the call that got it. A message that fails
 * ends the collective on every rank; its {@code then} is not run.
 */
interface Exchange {
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

    /** Combines elements of this rank: {@code to[i] = to[i] op from[i]}. */
    void reduce(long from, long to, long count);

    /**
     * Ends the reduction of elements that hold the contribution of every rank: a mean is divided here, and values take
     * the form in which they will reach the other ranks. Called once for each element of the group, by one rank or, where
     * all ranks compute it alike, by all of them; before the element is passed on.
     */
    void complete(long address, long count);

    void copy(long from, long to, long count);

    /** Memory for {@code count} elements that lives until the collective ends; visible to peers in place where possible. */
    long scratch(long count);

    /** This rank is done: its result is in place and none of its messages is pending. May come inside the start. */
    void finish();
}
