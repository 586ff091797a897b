package dev.oxbow.kernels.move;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** Joining tensors along an axis, and cutting them apart again. */
public final class Concat {
    private Concat() {}

    /** {@code y} = the inputs one after the other along {@code axis}; empty inputs of any rank add nothing. */
    public static void join(List<Tensor> inputs, int axis, Tensor y, Parallel parallel) {
        long[] strides = Strided.strides(y.shape().dims());
        long at = 0;
        for (Tensor x : inputs) {
            if (x.size() == 0) continue;
            long[] dims = x.shape().dims();
            Strided.copy(x, 0, Strided.strides(dims), y, at, strides, dims, parallel);
            at += dims[axis] * strides[axis];
        }
    }

    /** The outputs are consecutive parts of {@code x} along {@code axis}, as long as their own shapes say. */
    public static void split(Tensor x, int axis, List<Tensor> outputs, Parallel parallel) {
        long[] strides = Strided.strides(x.shape().dims());
        long at = 0;
        for (Tensor y : outputs) {
            long[] dims = y.shape().dims();
            Strided.copy(x, at, strides, y, 0, Strided.strides(dims), dims, parallel);
            at += dims[axis] * strides[axis];
        }
    }

    /** {@code y} = equal-shaped inputs along a new {@code axis}. */
    public static void pack(List<Tensor> inputs, int axis, Tensor y, Parallel parallel) {
        if (y.size() == 0) return;
        long outer = y.shape().size(0, axis),
                inner = y.shape().size(axis + 1, y.shape().rank()),
                count = inputs.size();
        for (int i = 0; i < count; i++) {
            Strided.copy(
                    inputs.get(i),
                    0,
                    new long[] {inner, 1},
                    y,
                    i * inner,
                    new long[] {count * inner, 1},
                    new long[] {outer, inner},
                    parallel);
        }
    }

    /** The outputs are the slices of {@code x} along {@code axis}, without that axis. */
    public static void unpack(Tensor x, int axis, List<Tensor> outputs, Parallel parallel) {
        if (x.size() == 0) return;
        long outer = x.shape().size(0, axis),
                inner = x.shape().size(axis + 1, x.shape().rank()),
                count = outputs.size();
        for (int i = 0; i < count; i++) {
            Strided.copy(
                    x,
                    i * inner,
                    new long[] {count * inner, 1},
                    outputs.get(i),
                    0,
                    new long[] {inner, 1},
                    new long[] {outer, inner},
                    parallel);
        }
    }
}
