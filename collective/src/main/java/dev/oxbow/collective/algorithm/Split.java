package dev.oxbow.collective.algorithm;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import java.util.Arrays;

/** A buffer cut into one segment per rank, and each segment into chunks that travel as one message. */
final class Split {
    private final long[] offsets;
    /** Elements of a chunk of each segment. */
    private final long[] chunks;

    private Split(long[] offsets, long[] chunks) {
        this.offsets = offsets;
        this.chunks = chunks;
    }

    /** Without chunks when {@code chunk} is 0. */
    private Split(long[] offsets, long chunk, int grain) {
        this(offsets, new long[offsets.length - 1]);
        long most = most(chunk, grain);
        for (int i = 0; i < chunks.length; i++) chunks[i] = Math.min(most, length(i));
    }

    private static long most(long chunk, int grain) {
        require(chunk >= 0, INVALID_ARGUMENT, "Split: chunk must be at least 0, got %d", chunk);
        return chunk == 0 ? Long.MAX_VALUE : grains(chunk, grain) * grain;
    }

    private static long grains(long count, long grain) {
        return (count + grain - 1) / grain;
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
        return new Split(offsets(counts), chunk, grain);
    }

    private static long[] offsets(long[] counts) {
        long[] offsets = new long[counts.length + 1];
        for (int i = 0; i < counts.length; i++) {
            require(
                    counts[i] >= 0,
                    INVALID_ARGUMENT,
                    "Split: counts must be at least 0, got %s",
                    Arrays.toString(counts));
            offsets[i + 1] = offsets[i] + counts[i];
        }
        return offsets;
    }

    /** The same, where each segment has about as many chunks as the largest: chunks are in proportion to their segments. */
    static Split alike(long[] counts, long chunk, int grain) {
        Split s = new Split(offsets(counts), chunk, grain);
        long pieces = Math.max(1, s.mostChunks());
        for (int i = 0; i < counts.length; i++)
            s.chunks[i] = Math.min(counts[i], grains(grains(counts[i], pieces), grain) * grain);
        return s;
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
        return length == 0 ? 0 : Math.toIntExact((length - 1) / chunks[segment] + 1);
    }

    int mostChunks() {
        int most = 0;
        for (int i = 0; i < parts(); i++) most = Math.max(most, chunks(i));
        return most;
    }

    /** Elements before a chunk, from the start of the buffer. */
    long at(int segment, int c) {
        return offsets[segment] + c * chunks[segment];
    }

    /** Elements of a chunk. */
    long length(int segment, int c) {
        return Math.min(chunks[segment], length(segment) - c * chunks[segment]);
    }
}
