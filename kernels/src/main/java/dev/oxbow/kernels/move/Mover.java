package dev.oxbow.kernels.move;

import dev.oxbow.tensor.Counted;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Tensor;

/** Copies strided runs of elements from one tensor to another of the same dtype; offsets and strides count elements. */
interface Mover {

    /** {@code to[at + i * step] = from[fromAt + i * fromStep]} for i in [0, n). */
    void move(long fromAt, long fromStep, long at, long step, long n);

    /** The mover for the element width of {@code from}, or for objects. */
    static Mover between(Tensor from, Tensor to) {
        if (from.dtype().isObject()) return objects(from.objects(), to.objects());
        long f = from.address(), t = to.address();
        int w = from.dtype().size();
        return (fromAt, fromStep, at, step, n) -> bytes(w, f + fromAt * w, fromStep * w, t + at * w, step * w, n);
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

    /** Repeats one element n times: a short prefix, then copies that double what is there. */
    private static void fill(int width, long from, long to, long n) {
        long done = Math.min(n, 64 / width);
        bytes(width, from, 0, to, width, Math.min(done, 63 / width));
        for (long i = 63 / width; i < done; i++) bytes(width, from, 0, to + i * width, width, 1);
        for (; done < n; done = Math.min(n, 2 * done)) {
            Memory.copy(to, to + done * width, Math.min(done, n - done) * width);
        }
    }
}
