package dev.oxbow.collective;

/**
 * What an algorithm works with: its rank in the group and messages to the others. Counts are in elements of the
 * collective's dtype. {@code slot} tells apart the messages of one collective between the same two ranks; messages with
 * the same slot are matched in order. A message that fails ends the collective on every rank; its {@code then} is not run.
 */
interface Exchange {
    int rank();

    int size();

    /** Sends elements, which stay as they are until {@code then}. */
    void send(int to, int slot, long address, long count, Runnable then);

    /** Receives elements into memory. */
    void receive(int from, int slot, long address, long count, Runnable then);

    /** Receives elements and combines each with the one in memory: {@code a[i] = a[i] op received[i]}. */
    void receiveReduce(int from, int slot, long address, long count, Runnable then);

    /** Combines elements of this rank: {@code to[i] = to[i] op from[i]}. */
    void reduce(long from, long to, long count);

    void copy(long from, long to, long count);

    /** Memory for {@code count} elements that lives until the collective ends; visible to peers in place where possible. */
    long scratch(long count);

    /** This rank is done: its result is in place and none of its messages is pending. */
    void finish();
}
