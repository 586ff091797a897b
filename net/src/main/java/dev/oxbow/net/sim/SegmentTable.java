package dev.oxbow.net.sim;

/** The segments of a stream from the first that was not acknowledged on, by consecutive number. */
final class SegmentTable {
    private static final byte ARRIVED = 1;
    private static final byte ACKNOWLEDGED = 2;

    private int[] lengths = new int[4];
    private long[] ends = new long[4];
    private long[] sentAt = new long[4];
    private byte[] states = new byte[4];
    private long base;
    private long next;

    long base() {
        return base;
    }

    long next() {
        return next;
    }

    /** The number of a new segment that ends before byte {@code end}. */
    long add(int length, long end) {
        if (next - base == lengths.length) grow();
        int slot = slot(next);
        lengths[slot] = length;
        ends[slot] = end;
        states[slot] = 0;
        return next++;
    }

    private void grow() {
        int[] oldLengths = lengths;
        long[] oldEnds = ends;
        long[] oldSentAt = sentAt;
        byte[] oldStates = states;
        int n = oldLengths.length;
        lengths = new int[2 * n];
        ends = new long[2 * n];
        sentAt = new long[2 * n];
        states = new byte[2 * n];
        for (long id = base; id < next; id++) {
            int slot = slot(id);
            int was = (int) (id & n - 1);
            lengths[slot] = oldLengths[was];
            ends[slot] = oldEnds[was];
            sentAt[slot] = oldSentAt[was];
            states[slot] = oldStates[was];
        }
    }

    private int slot(long id) {
        return (int) (id & lengths.length - 1);
    }

    int length(long id) {
        return lengths[slot(id)];
    }

    long end(long id) {
        return ends[slot(id)];
    }

    long sentAt(long id) {
        return sentAt[slot(id)];
    }

    void sent(long id, long time) {
        sentAt[slot(id)] = time;
    }

    boolean hasArrived(long id) {
        return id < base || (states[slot(id)] & ARRIVED) != 0;
    }

    void arrived(long id) {
        states[slot(id)] |= ARRIVED;
    }

    boolean isAcknowledged(long id) {
        return id < base || (states[slot(id)] & ACKNOWLEDGED) != 0;
    }

    /** Segment {@code id} and all below {@code all} have arrived; whether the first missing one is another now. */
    boolean acknowledge(long id, long all) {
        long before = base;
        if (id >= base) states[slot(id)] |= ACKNOWLEDGED;
        while (base < next && (base < all || isAcknowledged(base))) base++;
        return base > before;
    }
}
