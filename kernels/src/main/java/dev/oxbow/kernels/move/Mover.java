package dev.oxbow.kernels.move;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.tensor.Counted;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Tensor;

/** Copies strided runs of elements from one tensor to another of the same dtype; offsets and strides count elements. */
interface Mover {

    /** Bytes that are not worth handing to another thread. */
    long SMALL = 1 << 17;

    /** Bytes that stay in the nearest cache while they are repeated. */
    long PREFIX = 1 << 13;

    /** {@code to[at + i * step] = from[fromAt + i * fromStep]} for i in [0, n). */
    void move(long fromAt, long fromStep, long at, long step, long n);

    /** {@code to[at + i * row + j] = from[fromAt + j * fromRow + i]} for i in [0, n) and j in [0, m). */
    default void transpose(long fromAt, long fromRow, long at, long row, long n, long m) {
        for (long i = 0; i < n; i++) move(fromAt + i, fromRow, at + i * row, 1, m);
    }

    /** The mover for the element width of {@code from}, or for objects. */
    static Mover between(Tensor from, Tensor to) {
        if (from.dtype().isObject()) return objects(from.objects(), to.objects());
        require(
                !to.dtype().isObject() && to.dtype().size() == from.dtype().size(),
                INVALID_ARGUMENT,
                "elements of %s do not fit %s",
                from.describe(),
                to.describe());
        return new Bytes(from.address(), to.address(), from.dtype().size(), from.size(), to.size());
    }

    /** Elements of {@code width} bytes at two addresses, {@code count} and {@code room} of them. */
    record Bytes(long from, long to, int width, long count, long room) implements Mover {

        /** Requires elements {@code at}, {@code at + step}, ... of {@code n} to be there, whoever asks. */
        private static void check(long at, long step, long n, long count) {
            long last = at + (n - 1) * step;
            if (at < 0 || at >= count || last < 0 || last >= count)
                throw new OxbowException(
                        INVALID_ARGUMENT, "elements %d to %d are not in [0, %d)".formatted(at, last, count));
        }

        @Override
        public void move(long fromAt, long fromStep, long at, long step, long n) {
            if (n <= 0) return;
            check(fromAt, fromStep, n, count);
            check(at, step, n, room);
            bytes(width, from + fromAt * width, fromStep * width, to + at * width, step * width, n);
        }

        @Override
        public void transpose(long fromAt, long fromRow, long at, long row, long n, long m) {
            if (n <= 0 || m <= 0) return;
            check(fromAt, fromRow, m, count);
            check(fromAt + n - 1, fromRow, m, count);
            check(at, row, n, room);
            check(at + m - 1, row, n, room);
            Mover.transpose(width, from + fromAt * width, fromRow * width, to + at * width, row * width, n, m);
        }
    }

    private static Mover objects(Object[] from, Object[] to) {
        return (fromAt, fromStep, at, step, n) -> {
            for (long i = 0; i < n; i++) put(to, (int) (at + i * step), from[(int) (fromAt + i * fromStep)]);
        };
    }

    /** Stores a shared object, keeping reference counts right. */
    static void put(Object[] to, int at, Object value) {
        if (value instanceof Counted c) c.retain();
        Object old = to[at];
        to[at] = value;
        if (old instanceof Counted c) c.release();
    }

    /** The same on addresses and strides in bytes, for elements of {@code width} bytes. */
    static void bytes(int width, long from, long fromStep, long to, long step, long n) {
        if (step == width && n * width >= 64) {
            if (fromStep == width) {
                Memory.copy(from, to, n * width);
                return;
            }
            if (fromStep == 0) {
                fill(width, from, to, n);
                return;
            }
        }
        switch (width) {
            case 1 -> {
                for (long i = 0; i < n; i++) Memory.putByte(to + i * step, Memory.getByte(from + i * fromStep));
            }
            case 2 -> {
                for (long i = 0; i < n; i++) Memory.putShort(to + i * step, Memory.getShort(from + i * fromStep));
            }
            case 4 -> {
                for (long i = 0; i < n; i++) Memory.putInt(to + i * step, Memory.getInt(from + i * fromStep));
            }
            case 8 -> {
                for (long i = 0; i < n; i++) Memory.putLong(to + i * step, Memory.getLong(from + i * fromStep));
            }
            case 16 -> {
                for (long i = 0; i < n; i++) {
                    long low = Memory.getLong(from + i * fromStep), high = Memory.getLong(from + i * fromStep + 8);
                    Memory.putLong(to + i * step, low);
                    Memory.putLong(to + i * step + 8, high);
                }
            }
            default -> throw new OxbowException(ErrorCode.INTERNAL, "Mover: no elements of " + width + " bytes");
        }
    }

    /** Copies {@code count} rows of {@code bytes}, the steps between rows in bytes. */
    static void rows(long from, long fromStep, long to, long step, long bytes, long count, Parallel parallel) {
        if (count * bytes <= SMALL) someRows(from, fromStep, to, step, bytes, count);
        else if (count == 1)
            parallel.run(bytes, SMALL, (first, last) -> Memory.copy(from + first, to + first, last - first));
        else if (fromStep == bytes && step == bytes) rows(from, 0, to, 0, bytes * count, 1, parallel);
        else
            parallel.run(
                    count,
                    Math.max(1, SMALL / bytes),
                    (first, last) ->
                            someRows(from + first * fromStep, fromStep, to + first * step, step, bytes, last - first));
    }

    private static void someRows(long from, long fromStep, long to, long step, long bytes, long count) {
        if (bytes <= 16 && Long.bitCount(bytes) == 1) {
            bytes((int) bytes, from, fromStep, to, step, count);
        } else if (bytes % 8 == 0 && bytes < 64) {
            for (long i = 0; i < count; i++) bytes(8, from + i * fromStep, 8, to + i * step, 8, bytes / 8);
        } else {
            for (long i = 0; i < count; i++) Memory.copy(from + i * fromStep, to + i * step, bytes);
        }
    }

    /**
     * {@code to[i, j] = from[j, i]} for i in [0, n) and j in [0, m), on addresses and steps between rows in bytes, for
     * elements of {@code width} bytes.
     */
    static void transpose(int width, long from, long fromRow, long to, long row, long n, long m) {
        if (width != 4) {
            for (long i = 0; i < n; i++) bytes(width, from + i * width, fromRow, to + i * row, width, m);
            return;
        }
        long pairs = n & ~1, block = m & ~7;
        for (long j = 0; j < block; j += 8) {
            for (long i = 0; i < pairs; i += 2)
                twoByEight(from + j * fromRow + 4 * i, fromRow, to + i * row + 4 * j, row);
            if (pairs < n) bytes(4, from + j * fromRow + 4 * pairs, fromRow, to + pairs * row + 4 * j, 4, 8);
        }
        if (block < m) {
            for (long i = 0; i < n; i++)
                bytes(4, from + block * fromRow + 4 * i, fromRow, to + i * row + 4 * block, 4, m - block);
        }
    }

    /** Two columns of eight elements each become two rows; elements travel in pairs. */
    private static void twoByEight(long from, long fromRow, long to, long row) {
        long a = Memory.getLong(from), b = Memory.getLong(from + fromRow);
        long c = Memory.getLong(from + 2 * fromRow), d = Memory.getLong(from + 3 * fromRow);
        long e = Memory.getLong(from + 4 * fromRow), f = Memory.getLong(from + 5 * fromRow);
        long g = Memory.getLong(from + 6 * fromRow), h = Memory.getLong(from + 7 * fromRow);
        Memory.putLong(to, firsts(a, b));
        Memory.putLong(to + 8, firsts(c, d));
        Memory.putLong(to + 16, firsts(e, f));
        Memory.putLong(to + 24, firsts(g, h));
        Memory.putLong(to + row, seconds(a, b));
        Memory.putLong(to + row + 8, seconds(c, d));
        Memory.putLong(to + row + 16, seconds(e, f));
        Memory.putLong(to + row + 24, seconds(g, h));
    }

    private static long firsts(long a, long b) {
        return a & 0xffffffffL | b << 32;
    }

    private static long seconds(long a, long b) {
        return a >>> 32 | b & ~0xffffffffL;
    }

    /** Repeats one element n times: zeros, or a short prefix that is copied over and over while it is in the cache. */
    private static void fill(int width, long from, long to, long n) {
        if (isZero(width, from)) {
            Memory.zero(to, n * width);
            return;
        }
        long done = Math.min(n, 32 / width);
        for (long i = 0; i < done; i++) bytes(width, from, 0, to + i * width, width, 1);
        for (; done < n; done += Math.min(Math.min(done, PREFIX / width), n - done)) {
            Memory.copy(to, to + done * width, Math.min(Math.min(done, PREFIX / width), n - done) * width);
        }
    }

    private static boolean isZero(int width, long from) {
        for (int i = 0; i < width; i++) if (Memory.getByte(from + i) != 0) return false;
        return true;
    }
}
