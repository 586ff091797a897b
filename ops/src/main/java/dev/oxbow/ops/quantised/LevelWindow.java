package dev.oxbow.ops.quantised;

import static dev.oxbow.tensor.ErrorCode.UNIMPLEMENTED;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.kernels.numeric.Padding;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** A window that slides over the rows and columns of images of levels. */
record LevelWindow(List<Long> ksize, List<Long> strides, String padding) {

    LevelWindow {
        require(
                ksize.get(0) == 1 && strides.get(0) == 1,
                UNIMPLEMENTED,
                "Pooling is not yet supported on the batch dimension, got ksize %s and strides %s",
                ksize,
                strides);
        require(ksize.get(3) == 1, UNIMPLEMENTED, "Non-spatial pooling is not yet supported, got ksize %s", ksize);
    }

    /** Sums up levels that are met in turn. */
    private interface Fold {
        long add(long folded, long level);
    }

    void mean(Tensor x, Tensor y) {
        slide(x, y, 0, Long::sum, true);
    }

    void greatest(Tensor x, Tensor y) {
        slide(x, y, Levels.least(x.dtype()), Math::max, false);
    }

    private void slide(Tensor x, Tensor y, long start, Fold fold, boolean mean) {
        Shape in = x.shape(), out = y.shape();
        long channels = in.dim(3);
        for (long n = 0; n < out.dim(0); n++)
            for (long r = 0; r < out.dim(1); r++)
                for (long k = 0; k < out.dim(2); k++) {
                    long top = first(1, in, r), left = first(2, in, k);
                    long bottom = Math.min(in.dim(1), top + ksize.get(1)),
                            right = Math.min(in.dim(2), left + ksize.get(2));
                    long up = Math.max(0, top), from = Math.max(0, left), count = (bottom - up) * (right - from);
                    for (long ch = 0; ch < channels; ch++) {
                        long folded = start;
                        for (long i = up; i < bottom; i++)
                            for (long j = from; j < right; j++)
                                folded = fold.add(
                                        folded, x.getLong(((n * in.dim(1) + i) * in.dim(2) + j) * channels + ch));
                        y.setLong(
                                ((n * out.dim(1) + r) * out.dim(2) + k) * channels + ch,
                                mean ? folded / count : folded);
                    }
                }
    }

    /** Where the window at an output's place begins along an axis; it may be outside. */
    private long first(int axis, Shape in, long place) {
        Padding p = padding.equals("SAME") ? Padding.SAME : Padding.VALID;
        long stride = strides.get(axis);
        return place * stride - p.before(axis - 1, in.dim(axis), ksize.get(axis), stride, 1);
    }
}
