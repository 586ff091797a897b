package dev.oxbow.collective.ops;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** Where tensors of one dtype lie in a bucket: one after the other, each at a boundary of cache lines, zeros between them. */
record Packing(long[] offsets, long[] ends, int elementSize) {
    private static final long ALIGNMENT = 64;

    static Packing of(DType dtype, List<Shape> shapes) {
        long[] offsets = new long[shapes.size()], ends = new long[shapes.size()];
        int size = dtype.size();
        long at = 0;
        for (int i = 0; i < offsets.length; i++) {
            offsets[i] = at;
            ends[i] = at + shapes.get(i).size() * size;
            at = (ends[i] + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        }
        return new Packing(offsets, ends, size);
    }

    long offset(int i) {
        return offsets[i];
    }

    long bytes() {
        return ends[ends.length - 1];
    }

    /** Elements of the whole bucket, those between the tensors included. */
    long count() {
        return bytes() / elementSize;
    }

    /** So that what lies between the tensors changes neither scales nor which elements are largest. */
    void clearGaps(long bucket) {
        for (int i = 1; i < offsets.length; i++) Memory.zero(bucket + ends[i - 1], offsets[i] - ends[i - 1]);
    }
}
