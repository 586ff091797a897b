package dev.oxbow.kernels.move;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Tensor;

/** Diagonals of batches of matrices. Diagonal k holds the elements with {@code column - row == k}. */
public final class Diagonals {

    /**
     * Which diagonals, and how those shorter than the longest lie in the rows of a packed array. Rows are ordered from
     * {@code upper} down to {@code lower}.
     */
    public record Band(long lower, long upper, boolean rightAlignSuper, boolean rightAlignSub) {

        /** The main diagonal only. */
        public static final Band MAIN = new Band(0, 0, false, false);

        /** With TensorFlow's align attribute, such as {@code RIGHT_LEFT}: superdiagonals first, then subdiagonals. */
        public static Band of(long lower, long upper, String align) {
            return new Band(lower, upper, align.startsWith("RIGHT"), align.endsWith("RIGHT"));
        }

        public long count() {
            return upper - lower + 1;
        }

        /** The longest diagonal of a matrix of this size: the width of the packed array. */
        public long width(long rows, long columns) {
            return Math.min(rows + Math.min(upper, 0), columns - Math.max(lower, 0));
        }

        long length(long k, long rows, long columns) {
            return Math.max(0, Math.min(rows + Math.min(k, 0), columns - Math.max(k, 0)));
        }

        long shift(long k, long rows, long columns) {
            return (k >= 0 ? rightAlignSuper : rightAlignSub) ? width(rows, columns) - length(k, rows, columns) : 0;
        }
    }

    private Diagonals() {}

    /**
     * {@code y} = matrices with the packed {@code diagonals} in {@code band} and the scalar {@code padding}
     * elsewhere.
     */
    public static void make(Tensor diagonals, Band band, Tensor padding, Tensor y, Parallel parallel) {
        Broadcast.fill(padding, y, parallel);
        write(diagonals, band, y);
    }

    /** {@code y} = {@code x} with the diagonals in {@code band} replaced; {@code x} and {@code y} may be one tensor. */
    public static void set(Tensor x, Tensor diagonals, Band band, Tensor y, Parallel parallel) {
        if (x.address() != y.address()) Broadcast.run(x, y, parallel);
        write(diagonals, band, y);
    }

    private static void write(Tensor diagonals, Band band, Tensor y) {
        if (diagonals.size() == 0) return;
        long rows = y.shape().dim(-2), columns = y.shape().dim(-1), width = band.width(rows, columns);
        long batch = y.shape().size(0, y.shape().rank() - 2);
        Mover mover = Mover.between(diagonals, y);
        for (long b = 0; b < batch; b++) {
            for (long k = band.lower; k <= band.upper; k++) {
                long from = (b * band.count() + band.upper - k) * width + band.shift(k, rows, columns);
                mover.move(from, 1, b * rows * columns + start(k, columns), columns + 1, band.length(k, rows, columns));
            }
        }
    }

    /** {@code y} = the packed diagonals of the matrices {@code x}, with {@code padding} where a diagonal is short. */
    public static void part(Tensor x, Band band, Tensor padding, Tensor y, Parallel parallel) {
        Broadcast.fill(padding, y, parallel);
        if (y.size() == 0) return;
        long rows = x.shape().dim(-2), columns = x.shape().dim(-1), width = band.width(rows, columns);
        long batch = x.shape().size(0, x.shape().rank() - 2);
        Mover mover = Mover.between(x, y);
        for (long b = 0; b < batch; b++) {
            for (long k = band.lower; k <= band.upper; k++) {
                long to = (b * band.count() + band.upper - k) * width + band.shift(k, rows, columns);
                mover.move(b * rows * columns + start(k, columns), columns + 1, to, 1, band.length(k, rows, columns));
            }
        }
    }

    private static long start(long k, long columns) {
        return k >= 0 ? k : -k * columns;
    }

    /**
     * Keeps {@code lower} diagonals below and {@code upper} above the main one, all of them when negative; zero
     * elsewhere.
     */
    public static void bandPart(Tensor x, long lower, long upper, Tensor y, Parallel parallel) {
        if (x.size() == 0) return;
        long rows = x.shape().dim(-2), columns = x.shape().dim(-1);
        int w = x.dtype().size();
        parallel.run(
                x.shape().size(0, x.shape().rank() - 1), Math.max(1, (1 << 14) / Math.max(1, columns)), (from, to) -> {
                    for (long row = from; row < to; row++) {
                        long i = row % rows, at = row * columns;
                        long first = lower < 0 ? 0 : Math.clamp(i - lower, 0, columns);
                        long last = upper < 0 ? columns : Math.clamp(i + upper + 1, first, columns);
                        Memory.zero(y.address() + at * w, first * w);
                        Memory.copy(x.address() + (at + first) * w, y.address() + (at + first) * w, (last - first) * w);
                        Memory.zero(y.address() + (at + last) * w, (columns - last) * w);
                    }
                });
    }

    /** Diag: {@code y[i, i] = x[i]} for a flat index i over all of {@code x}, zero elsewhere. */
    public static void embed(Tensor x, Tensor y) {
        Memory.zero(y.address(), y.byteSize());
        Mover.between(x, y).move(0, 1, 0, x.size() + 1, x.size());
    }

    /** DiagPart: {@code y[i] = x[i, i]} for a flat index i over all of {@code y}. */
    public static void extract(Tensor x, Tensor y) {
        Mover.between(x, y).move(0, y.size() + 1, 0, 1, y.size());
    }
}
