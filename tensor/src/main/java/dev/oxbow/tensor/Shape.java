package dev.oxbow.tensor;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import java.util.Arrays;
import java.util.List;

/**
 * Dimensions of a tensor; any may be unknown ({@link #UNKNOWN_DIM}), and so may the rank. Immutable.
 *
 * {@snippet :
 * Shape images = Shape.of(-1, 28, 28, 1); // any number of them
 * boolean all = images.isFullyKnown(); // false
 * long pixels = images.slice(1, 4).size(); // 784
 * }
 */
public final class Shape {
    /** The value of a dimension that is not known. */
    public static final long UNKNOWN_DIM = -1;

    /** Rank 0. */
    public static final Shape SCALAR = new Shape(new long[0]);

    /** A shape about which nothing is known. */
    public static final Shape UNKNOWN = new Shape(null);

    private static final long MOST_DIMS = 254;
    private static final long NOT_KNOWN = -1;
    private static final long TOO_LARGE = -2;

    private final long[] dims;

    /** The number of elements, or why there is none. */
    private final long size;

    private Shape(long[] dims) {
        this.dims = dims;
        this.size = count(dims);
    }

    private static long count(long[] dims) {
        if (dims == null) return NOT_KNOWN;
        long n = 1;
        boolean empty = false, tooLarge = false;
        for (long d : dims) {
            if (d < 0) return NOT_KNOWN;
            if (d == 0) empty = true;
            else if (isTooLarge(n, d)) tooLarge = true;
            else n *= d;
        }
        return empty ? 0 : tooLarge ? TOO_LARGE : n;
    }

    /** The shape with these dimensions, each at least 0 or {@link #UNKNOWN_DIM}. */
    public static Shape of(long... dims) {
        if (dims.length == 0) return SCALAR;
        for (long d : dims) {
            // every kernel makes shapes, so the message is put together only for an error
            if (d < -1)
                throw new OxbowException(
                        INVALID_ARGUMENT, "Shape: dimension %d of %s is negative".formatted(d, Arrays.toString(dims)));
        }
        return new Shape(dims.clone());
    }

    public static Shape of(List<Long> dims) {
        return of(dims.stream().mapToLong(Long::longValue).toArray());
    }

    /** A shape of the given rank with every dimension unknown; a negative rank is not known either. */
    public static Shape ofRank(long rank) {
        if (rank < 0) return UNKNOWN;
        if (rank > MOST_DIMS)
            throw new OxbowException(
                    INVALID_ARGUMENT, "Shape: the rank must be at most %d, got %d".formatted(MOST_DIMS, rank));
        long[] d = new long[(int) rank];
        Arrays.fill(d, UNKNOWN_DIM);
        return new Shape(d);
    }

    public boolean isRankKnown() {
        return dims != null;
    }

    public boolean isFullyKnown() {
        return size != NOT_KNOWN;
    }

    public boolean isScalar() {
        return dims != null && dims.length == 0;
    }

    /** The number of dimensions; -1 when unknown. */
    public int rank() {
        return dims == null ? -1 : dims.length;
    }

    /** Dimension {@code i}, counted from the end when negative; {@link #UNKNOWN_DIM} when not known. */
    public long dim(int i) {
        if (dims == null) return UNKNOWN_DIM;
        return dims[position(i)];
    }

    private int position(int i) {
        int at = i < 0 ? i + dims.length : i;
        if (at < 0 || at >= dims.length)
            throw new OxbowException(INVALID_ARGUMENT, "Shape: there is no dimension " + i + " in " + this);
        return at;
    }

    /** The dimensions, a copy. */
    public long[] dims() {
        require(dims != null, INVALID_ARGUMENT, "Shape: the rank is not known");
        return dims.clone();
    }

    /** The number of elements; fails when not fully known or beyond 2^63. */
    public long size() {
        if (size < 0) throw noSize();
        return size;
    }

    private OxbowException noSize() {
        return new OxbowException(
                INVALID_ARGUMENT,
                size == NOT_KNOWN
                        ? "Shape: the size of " + this + " is not known"
                        : "Shape: " + this + " has more than 2^63 elements");
    }

    /** The product of dimensions {@code [from, to)}; fails beyond 2^63, which an empty shape may hold. */
    public long size(int from, int to) {
        long n = 1;
        for (int i = from; i < to; i++) n = times(n, dim(i));
        return n;
    }

    private static boolean isTooLarge(long n, long d) {
        return Math.multiplyHigh(n, d) != 0 || n * d < 0;
    }

    private long times(long n, long d) {
        if (d > 0 && isTooLarge(n, d))
            throw new OxbowException(INVALID_ARGUMENT, "Shape: a part of " + this + " has more than 2^63 elements");
        return n * d;
    }

    /** Dimensions {@code [from, to)} as a shape; negative positions count from the end. */
    public Shape slice(int from, int to) {
        if (dims == null) return UNKNOWN;
        int r = dims.length, first = from < 0 ? from + r : from, last = to < 0 ? to + r : to;
        if (first < 0 || last > r || first > last)
            throw new OxbowException(
                    INVALID_ARGUMENT, "Shape: there are no dimensions [%d, %d) in %s".formatted(from, to, this));
        return of(Arrays.copyOfRange(dims, first, last));
    }

    public Shape concat(Shape other) {
        if (dims == null || other.dims == null) return UNKNOWN;
        long[] d = Arrays.copyOf(dims, dims.length + other.dims.length);
        System.arraycopy(other.dims, 0, d, dims.length, other.dims.length);
        return new Shape(d);
    }

    /** This shape with dimension {@code i} replaced. */
    public Shape withDim(int i, long value) {
        long[] d = dims();
        d[position(i)] = value;
        return of(d);
    }

    /** This shape without dimension {@code i}. */
    public Shape withoutDim(int i) {
        int at = position(i);
        return slice(0, at).concat(slice(at + 1, dims.length));
    }

    /** Row-major strides in elements. */
    public long[] strides() {
        long[] s = new long[dims.length];
        long n = 1;
        for (int i = dims.length - 1; i >= 0; i--) {
            s[i] = n;
            n = times(n, dims[i]);
        }
        return s;
    }

    /** Whether some fully known shape could be both this and {@code other}. */
    public boolean isCompatibleWith(Shape other) {
        if (dims == null || other.dims == null) return true;
        if (dims.length != other.dims.length) return false;
        for (int i = 0; i < dims.length; i++) {
            if (dims[i] != other.dims[i] && dims[i] >= 0 && other.dims[i] >= 0) return false;
        }
        return true;
    }

    /** What both shapes say together; null when they contradict each other. */
    public Shape merge(Shape other) {
        if (dims == null) return other;
        if (other.dims == null) return this;
        if (!isCompatibleWith(other)) return null;
        long[] d = dims.clone();
        for (int i = 0; i < d.length; i++) if (d[i] < 0) d[i] = other.dims[i];
        return new Shape(d);
    }

    /** What holds for both shapes: dimensions that differ become unknown, ranks that differ make all unknown. */
    public Shape generalise(Shape other) {
        if (dims == null || other.dims == null || dims.length != other.dims.length) return UNKNOWN;
        long[] d = dims.clone();
        for (int i = 0; i < d.length; i++) if (d[i] != other.dims[i]) d[i] = UNKNOWN_DIM;
        return new Shape(d);
    }

    /** The NumPy broadcast of two shapes, with unknown dimensions where either leaves it open; null when impossible. */
    public static Shape broadcast(Shape a, Shape b) {
        if (a.dims == null || b.dims == null) return UNKNOWN;
        int rank = Math.max(a.dims.length, b.dims.length);
        long[] d = new long[rank];
        for (int i = 1; i <= rank; i++) {
            long x = i <= a.dims.length ? a.dims[a.dims.length - i] : 1;
            long y = i <= b.dims.length ? b.dims[b.dims.length - i] : 1;
            if (x == y || y == 1) d[rank - i] = x;
            else if (x == 1) d[rank - i] = y;
            else if (x < 0) d[rank - i] = y;
            else if (y < 0) d[rank - i] = x;
            else return null;
        }
        return new Shape(d);
    }

    @Override
    public boolean equals(Object o) {
        return this == o || o instanceof Shape s && Arrays.equals(dims, s.dims);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(dims);
    }

    @Override
    public String toString() {
        if (dims == null) return "<unknown>";
        StringBuilder s = new StringBuilder("[");
        for (int i = 0; i < dims.length; i++) {
            if (i > 0) s.append(',');
            s.append(dims[i] < 0 ? "?" : Long.toString(dims[i]));
        }
        return s.append(']').toString();
    }

    /** Where the innermost run number {@code run} of this shape begins in a larger one, in whose first corner it lies. */
    public long runIn(Shape larger, long run) {
        if (larger.rank() == 0) return 0;
        long at = 0, stride = larger.dim(larger.rank() - 1), rest = run;
        for (int d = rank() - 2; d >= 0; d--) {
            at += rest % dim(d) * stride;
            rest /= dim(d);
            stride *= larger.dim(d);
        }
        return at;
    }
}
