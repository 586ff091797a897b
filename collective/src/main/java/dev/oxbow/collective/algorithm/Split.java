package dev.oxbow.collective.algorithm;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import java.util.Arrays;

/** A buffer cut into one segment per rank, and each segment into chunks that travel as one message. */
final class Split {
    private final long[] offsets;
    private final long chunk;

    /** Without chunks when {@code chunk} is 0. */
    private Split(long[] offsets, long chunk, int grain) {
        require(chunk >= 0, INVALID_ARGUMENT, "Split: chunk must be at least 0, got %d", chunk);
        this.offsets = offsets;
        this.chunk = chunk == 0 ? Long.MAX_VALUE : (chunk + grain - 1) / grain * grain;
    }

    /** Segments that differ by at most one grain. */
    static Split even(long count, int parts, long chunk, int grain) {
        long[] offsets = new long[parts + 1];
        long grains = (count + grain - 1) / grain, each = grains / parts, more = grains % parts;
        for (int i = 1; i <= parts; i++) offsets[i] = Math.min(count, (each * i + Math.min(i, more)) * grain);
        return new Split(offsets, chunk, grain);
    }

    /** Segments of given sizes, one after the other. */
    static Split of(long[] counts, long chunk, int grain) {
        long[] offsets = new long[counts.length + 1];
        for (int i = 0; i < counts.length; i++) {
            require(
                    counts[i] >= 0,
                    INVALID_ARGUMENT,
                    "Split: counts must be at least 0, got %s",
                    Arrays.toString(counts));
            offsets[i + 1] = offsets[i] + counts[i];
        }
        return new Split(offsets, chunk, grain);
    }

    /** One segment. */
    static Split whole(long count, long chunk, int grain) {
        return new Split(new long[] {0, count}, chunk, grain);
    }

    int parts() {
        return offsets.length - 1;
    }

    long count() {
        return offsets[parts()];
    }

    long offset(int segment) {
        return offsets[segment];
    }

    long length(int segment) {
        return offsets[segment + 1] - offsets[segment];
    }

    /** The sizes of all segments. */
    long[] counts() {
        long[] counts = new long[parts()];
        for (int i = 0; i < counts.length; i++) counts[i] = length(i);
        return counts;
    }

    /** How many chunks a segment has: none when it is empty. */
    int chunks(int segment) {
        long length = length(segment);
        return length == 0 ? 0 : Math.toIntExact((length - 1) / chunk + 1);
    }

    int mostChunks() {
        int most = 0;
        for (int i = 0; i < parts(); i++) most = Math.max(most, chunks(i));
        return most;
    }

    /** Elements before a chunk, from the start of the buffer. */
    long at(int segment, int c) {
        return offsets[segment] + c * chunkOf(segment);
    }

    /** Elements of a chunk. */
    long length(int segment, int c) {
        return Math.min(chunkOf(segment), length(segment) - c * chunkOf(segment));
    }

    private long chunkOf(int segment) {
        return Math.min(chunk, length(segment));
    }
}
