package dev.oxbow.kernels.numeric;

import java.util.Arrays;

/** How a window meets the border of its input, as TensorFlow's padding attribute says. */
public final class Padding {
    /** As many positions as strides fit into the input; zeros around, the odd one behind. */
    public static final Padding SAME = new Padding("SAME", null, null);

    /** Only positions where the whole window is inside. */
    public static final Padding VALID = new Padding("VALID", null, null);

    private final String name;
    private final long[] before;
    private final long[] after;

    private Padding(String name, long[] before, long[] after) {
        this.name = name;
        this.before = before;
        this.after = after;
    }

    /** The given number of zeros ahead of and behind each spatial dimension. */
    public static Padding explicit(long[] before, long[] after) {
        return new Padding("EXPLICIT", before.clone(), after.clone());
    }

    /** The number of window positions along spatial dimension d; 0 when the window does not fit. */
    public long outputSize(int d, long in, long kernel, long stride, long dilation) {
        if (this == SAME) return (in + stride - 1) / stride;
        long extent = (kernel - 1) * dilation + 1, room = this == VALID ? in : in + before[d] + after[d];
        return room < extent ? 0 : (room - extent) / stride + 1;
    }

    /** The zeros ahead of spatial dimension d. */
    public long before(int d, long in, long kernel, long stride, long dilation) {
        if (this == VALID) return 0;
        if (this != SAME) return before[d];
        long needed = (outputSize(d, in, kernel, stride, dilation) - 1) * stride + (kernel - 1) * dilation + 1;
        return Math.max(0, needed - in) / 2;
    }

    @Override
    public String toString() {
        return before == null ? name : name + Arrays.toString(before) + Arrays.toString(after);
    }
}
