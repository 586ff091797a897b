package dev.oxbow.cuda;

import dev.oxbow.tensor.Tensor;
import java.util.Arrays;

/** Collects what an entry touches. */
final class Spans {
    private long[] reads = new long[8];
    private long[] writes = new long[4];
    private int read;
    private int written;

    Spans reads(Tensor t) {
        return reads(t.place(), t.byteSize());
    }

    Spans reads(long place, long bytes) {
        if (read == reads.length) reads = Arrays.copyOf(reads, 2 * read);
        reads[read++] = place;
        reads[read++] = bytes;
        return this;
    }

    Spans writes(Tensor t) {
        return writes(t.place(), t.byteSize());
    }

    Spans writes(long place, long bytes) {
        if (written == writes.length) writes = Arrays.copyOf(writes, 2 * written);
        writes[written++] = place;
        writes[written++] = bytes;
        return this;
    }

    Entry.Touched touched() {
        return new Entry.Touched(Arrays.copyOf(reads, read), Arrays.copyOf(writes, written));
    }
}
