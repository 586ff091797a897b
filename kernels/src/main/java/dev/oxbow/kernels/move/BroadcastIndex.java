package dev.oxbow.kernels.move;

import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.Shape;

/** Where the elements of a broadcast tensor come from. */
public final class BroadcastIndex {
    private BroadcastIndex() {}

    /** For every element of {@code out}, the element of a tensor of shape {@code in} that is broadcast to it. */
    public static long[] of(Shape in, Shape out) {
        long[] index = Counts.array(out.size(), long[]::new), strides = in.strides();
        int skipped = out.rank() - in.rank();
        for (int i = 0; i < index.length; i++) {
            long rest = i;
            for (int d = out.rank() - 1; d >= skipped; d--) {
                if (in.dim(d - skipped) != 1) index[i] += rest % out.dim(d) * strides[d - skipped];
                rest /= out.dim(d);
            }
        }
        return index;
    }
}
