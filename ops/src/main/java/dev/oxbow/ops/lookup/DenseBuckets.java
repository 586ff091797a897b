package dev.oxbow.ops.lookup;

import dev.oxbow.tensor.Counts;

/**
 * The places of a dense table's keys, as TensorFlow keeps them: quadratic probing in a power of two of buckets, which
 * is what an export of the table shows.
 */
final class DenseBuckets {
    private final double maxLoad;
    private final Element deleted;
    private Element[] buckets;
    private Element[] values;
    private int size;

    /** Free buckets are null, those of removed keys hold {@code deleted}. */
    DenseBuckets(long count, double maxLoad, Element deleted) {
        this.buckets = Counts.array(count, Element[]::new);
        this.values = Counts.array(count, Element[]::new);
        this.maxLoad = maxLoad;
        this.deleted = deleted;
    }

    /** Makes room for {@code more} keys, as if all were new. */
    void grow(long more) {
        long n = buckets.length;
        while (size + more > n * maxLoad && n <= Integer.MAX_VALUE) n <<= 1;
        if (n == buckets.length) return;
        Element[] old = buckets, held = values;
        buckets = Counts.array(n, Element[]::new);
        values = Counts.array(n, Element[]::new);
        size = 0;
        for (int i = 0; i < old.length; i++) if (old[i] != null && old[i] != deleted) put(old[i], held[i]);
    }

    /** Begins anew with this many buckets. */
    void clear(long count) {
        buckets = Counts.array(count, Element[]::new);
        values = Counts.array(count, Element[]::new);
        size = 0;
    }

    /** Puts a key, or the removed one, and its value into a bucket as an export showed it. */
    void place(int bucket, Element key, Element value) {
        buckets[bucket] = key.equals(deleted) ? deleted : key;
        values[bucket] = value;
        if (buckets[bucket] != deleted) size++;
    }

    int count() {
        return buckets.length;
    }

    void put(Element key, Element value) {
        int at = (int) key.scalarHash() & buckets.length - 1;
        for (int probes = 1; ; probes++) {
            if (key.equals(buckets[at])) break;
            if (buckets[at] == null || buckets[at] == deleted) {
                buckets[at] = key;
                size++;
                break;
            }
            at = at + probes & buckets.length - 1;
        }
        values[at] = value;
    }

    /** Frees the key's bucket; the value stays in it. */
    void remove(Element key) {
        int at = (int) key.scalarHash() & buckets.length - 1;
        for (int probes = 1; buckets[at] != null && probes <= buckets.length; probes++) {
            if (key.equals(buckets[at])) {
                buckets[at] = deleted;
                size--;
                return;
            }
            at = at + probes & buckets.length - 1;
        }
    }

    /** The buckets in order, not a copy. */
    Element[] all() {
        return buckets;
    }

    /** The value last put into a bucket; null where there was none. */
    Element value(int bucket) {
        return values[bucket];
    }
}
