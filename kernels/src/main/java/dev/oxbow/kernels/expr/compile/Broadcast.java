package dev.oxbow.kernels.expr.compile;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;

/** Which elements of inputs an output reads, by NumPy's rule, in as few dimensions as possible. */
public final class Broadcast {

    /*
     * Adjacent dimensions collapse when every input either runs through both or repeats along both.
     * Inputs are dense, so along the last collapsed dimension each either advances one element at a time
     * or stands still.
     */

    /** Collapsed dimensions of the output, at least one. */
    public final long[] dims;
    /** By input, then by collapsed dimension, in elements; 0 where the input is repeated. */
    public final long[][] strides;
    /** By collapsed dimension. */
    public final boolean[] marked;

    private final Shape out;
    private final Shape[] inputs;
    private final boolean[] scalar;
    private final boolean[] wanted;

    private Broadcast(Shape out, Shape[] inputs, long[] dims, long[][] strides, boolean[] marked, boolean[] wanted) {
        this.wanted = wanted;
        this.marked = marked;
        this.out = out;
        this.inputs = inputs;
        this.dims = dims;
        this.strides = strides;
        this.scalar = new boolean[strides.length];
        for (int i = 0; i < strides.length; i++) {
            long any = 0;
            for (long stride : strides[i]) any |= stride;
            scalar[i] = any == 0;
        }
    }

    /** Whether this was made for just these shapes and marks. */
    public boolean isFor(Shape shape, Tensor[] tensors, boolean[] marks) {
        return Arrays.equals(marks, wanted) && isFor(shape, tensors);
    }

    /** Whether this was made for just these shapes. */
    public boolean isFor(Shape shape, Tensor[] tensors) {
        if (!shape.equals(out)) return false;
        for (int i = 0; i < inputs.length; i++) if (!tensors[i].shape().equals(inputs[i])) return false;
        return true;
    }

    public static Broadcast of(Shape out, Shape[] inputs) {
        return of(out, inputs, new boolean[out.rank()]);
    }

    /** The same, without collapsing marked dimensions with others. */
    public static Broadcast of(Shape out, Shape[] inputs, boolean[] marked) {
        int rank = out.rank(), n = inputs.length;
        long[] dims = new long[Math.max(1, rank)];
        boolean[] marks = new boolean[dims.length];
        long[][] strides = new long[n][dims.length];
        long[] step = new long[n];
        Arrays.fill(step, 1);
        int kept = 0; // dimensions are collected from the last to the first, then turned round
        for (int i = 0; i < n; i++) check(out, inputs[i]);
        for (int d = rank - 1; d >= 0; d--) {
            long size = out.dim(d);
            if (size == 1) continue;
            boolean joins = kept > 0 && marks[kept - 1] == marked[d];
            for (int i = 0; i < n; i++) {
                int at = d - rank + inputs[i].rank();
                boolean runs = at >= 0 && inputs[i].dim(at) != 1;
                strides[i][kept] = runs ? step[i] : 0;
                if (kept > 0) joins &= strides[i][kept] == strides[i][kept - 1] * dims[kept - 1];
                if (runs) step[i] *= size;
            }
            if (joins) {
                dims[kept - 1] *= size;
            } else {
                marks[kept] = marked[d];
                dims[kept++] = size;
            }
        }
        if (kept == 0) {
            dims[kept++] = 1;
            for (long[] s : strides) s[0] = 1;
        }
        for (int i = 0; i < n; i++) strides[i] = reversed(strides[i], kept);
        boolean[] turned = new boolean[kept];
        for (int i = 0; i < kept; i++) turned[i] = marks[kept - 1 - i];
        return new Broadcast(out, inputs, reversed(dims, kept), strides, turned, marked);
    }

    private static void check(Shape out, Shape in) {
        boolean fits = in.rank() <= out.rank();
        for (int i = 1; fits && i <= in.rank(); i++) fits = in.dim(-i) == 1 || in.dim(-i) == out.dim(-i);
        require(fits, INVALID_ARGUMENT, "ElementwiseKernel: %s does not broadcast to %s", in, out);
    }

    private static long[] reversed(long[] a, int n) {
        long[] r = new long[n];
        for (int i = 0; i < n; i++) r[i] = a[n - 1 - i];
        return r;
    }

    boolean isContiguous(int input) {
        return dims.length == 1 && strides[input][0] == 1;
    }

    /** Whether the input is one element, repeated. */
    boolean isScalar(int input) {
        return scalar[input];
    }

    /** The element of {@code input} that element {@code at} of the output reads. */
    long offset(int input, long at) {
        long[] s = strides[input];
        long offset = 0;
        for (int d = dims.length - 1; d >= 0; d--) {
            offset += at % dims[d] * s[d];
            at /= dims[d];
        }
        return offset;
    }
}
