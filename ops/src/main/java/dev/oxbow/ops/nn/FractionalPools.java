package dev.oxbow.ops.nn;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.random.Intervals;
import dev.oxbow.kernels.random.PhiloxState;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** What pools over random intervals of rows and columns share; channels are last. */
final class FractionalPools {
    private FractionalPools() {}

    static List<TensorType> infer(InferenceContext c, List<Float> ratio) {
        Shape x = c.shape(0).isRankKnown() ? c.shape(0) : Shape.ofRank(4);
        require(x.rank() == 4, INVALID_ARGUMENT, "input must be 4-dimensional, got %s", x);
        require(ratio.size() == 4, INVALID_ARGUMENT, "pooling_ratio must have 4 entries, got %s", ratio);
        long[] dims = new long[4];
        for (int i = 0; i < 4; i++) {
            require(ratio.get(i) >= 1, INVALID_ARGUMENT, "pooling_ratio must not be below 1, got %s", ratio);
            dims[i] = x.dim(i) < 0 ? -1 : Math.min(x.dim(i), (long) Math.floor(x.dim(i) / ratio.get(i)));
        }
        require(
                ratio.get(0) == 1 && ratio.get(3) == 1,
                INVALID_ARGUMENT,
                "pooling_ratio must be 1 for batch and channels, got %s",
                ratio);
        for (int i = 1; i < 3; i++)
            require(
                    dims[i] != 0,
                    INVALID_ARGUMENT,
                    "pooling_ratio %s leaves nothing of dimension %d of %s",
                    ratio,
                    i,
                    x);
        long rows = dims[1] < 0 ? -1 : dims[1] + 1, columns = dims[2] < 0 ? -1 : dims[2] + 1;
        return List.of(
                new TensorType(c.dtype(0), Shape.of(dims)),
                new TensorType(DType.I64, Shape.of(rows)),
                new TensorType(DType.I64, Shape.of(columns)));
    }

    /** Draws the intervals into the vectors of their ends. */
    static void draw(Tensor x, boolean pseudoRandom, long seed, long seed2, Tensor rows, Tensor columns) {
        PhiloxState state = PhiloxState.of(seed, seed2);
        Tensor[] ends = {rows, columns};
        for (int i = 0; i < 2; i++) {
            int length = Counts.toInt(x.shape().dim(1 + i)), parts = Counts.toInt(ends[i].size() - 1);
            long[] drawn = Intervals.draw(state, length, parts, pseudoRandom);
            for (int k = 0; k < drawn.length; k++) ends[i].setLong(k, drawn[k]);
        }
    }

    interface Cell {
        /** Rows and columns [from, to) of the input that output (image, row, column) covers. */
        void at(long image, long row, long column, long top, long bottom, long left, long right);
    }

    /** Visits the part of the input [image, rows, columns] that each output covers; overlapping intervals share their border. */
    static void each(Shape in, Tensor rows, Tensor columns, boolean overlapping, Cell cell) {
        long shared = overlapping ? 1 : 0;
        for (Tensor ends : List.of(rows, columns))
            for (long i = 0; i < ends.size(); i++)
                require(
                        ends.getLong(i) >= 0 && (i == 0 || ends.getLong(i) >= ends.getLong(i - 1)),
                        INVALID_ARGUMENT,
                        "pooling sequences must ascend from 0, got %d at %d",
                        ends.getLong(i),
                        i);
        for (long b = 0; b < in.dim(0); b++) {
            for (long i = 0; i < rows.size() - 1; i++) {
                long bottom = Math.min(rows.getLong(i + 1) + shared, in.dim(1));
                for (long j = 0; j < columns.size() - 1; j++) {
                    long right = Math.min(columns.getLong(j + 1) + shared, in.dim(2));
                    cell.at(b, i, j, rows.getLong(i), bottom, columns.getLong(j), right);
                }
            }
        }
    }

    /** Pools by the largest element or by the mean. */
    static void pool(Tensor x, Tensor rows, Tensor columns, boolean overlapping, boolean max, Tensor y) {
        long w = x.shape().dim(2),
                h = x.shape().dim(1),
                c = x.shape().dim(3),
                outH = rows.size() - 1,
                outW = columns.size() - 1;
        if (y.size() == 0) return;
        each(x.shape(), rows, columns, overlapping, (b, i, j, top, bottom, left, right) -> {
            for (long k = 0; k < c; k++) {
                double sum = 0, most = Double.NEGATIVE_INFINITY;
                for (long r = top; r < bottom; r++) {
                    for (long q = left; q < right; q++) {
                        double v = x.getDouble(((b * h + r) * w + q) * c + k);
                        sum += v;
                        most = Math.max(most, v);
                    }
                }
                double n = (bottom - top) * (double) (right - left);
                double pooled = max ? most : sum / n;
                y.set(((b * outH + i) * outW + j) * c + k, y.dtype().isInteger() ? (long) pooled : pooled);
            }
        });
    }

    /** Gradients in equal parts, or with {@code x} given to its first largest element. */
    static void gradient(Tensor x, Tensor dy, Tensor rows, Tensor columns, boolean overlapping, Tensor dx) {
        Shape in = dx.shape();
        long h = in.dim(1), w = in.dim(2), c = in.dim(3), outH = rows.size() - 1, outW = columns.size() - 1;
        require(
                dy.shape().equals(Shape.of(in.dim(0), outH, outW, c)),
                INVALID_ARGUMENT,
                "out_backprop must be [%d, %d, %d, %d], got %s",
                in.dim(0),
                outH,
                outW,
                c,
                dy.shape());
        if (dx.size() == 0) return;
        double[] total = Counts.array(dx.size(), double[]::new);
        each(in, rows, columns, overlapping, (b, i, j, top, bottom, left, right) -> {
            for (long k = 0; k < c; k++) {
                double d = dy.getDouble(((b * outH + i) * outW + j) * c + k),
                        n = (bottom - top) * (double) (right - left);
                int best = -1;
                for (long r = top; r < bottom; r++) {
                    for (long q = left; q < right; q++) {
                        int at = (int) (((b * h + r) * w + q) * c + k);
                        if (x == null) total[at] += d / n;
                        else if (best < 0 || x.getDouble(at) > x.getDouble(best)) best = at;
                    }
                }
                if (best >= 0) total[best] += d;
            }
        });
        for (int i = 0; i < total.length; i++) dx.set(i, total[i]);
    }
}
