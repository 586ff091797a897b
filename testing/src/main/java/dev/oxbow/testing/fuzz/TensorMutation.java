package dev.oxbow.testing.fuzz;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;

/** Tensors made from others by chance: other shapes, other values, other dtypes. */
final class TensorMutation {
    private static final long[] WHOLE = {
        0,
        1,
        -1,
        2,
        3,
        7,
        -2,
        100,
        1 << 16,
        Integer.MAX_VALUE,
        Integer.MIN_VALUE,
        1L << 33,
        Long.MAX_VALUE,
        Long.MIN_VALUE
    };
    private static final double[] REAL = {
        0,
        1,
        -1,
        0.5,
        2,
        -0.0,
        1e-30,
        1e30,
        -1e30,
        Double.NaN,
        Double.POSITIVE_INFINITY,
        Double.NEGATIVE_INFINITY,
        1e300
    };
    private static final String[] TEXT = {"", "\0", "a", "-1", "nan", "a/b\0c", "é", "x".repeat(300), "1e400", "%s%n"};
    private static final DType[] TYPES = DType.values();

    private final Random random;

    TensorMutation(Random random) {
        this.random = random;
    }

    Tensor of(Tensor t) {
        return switch (random.nextInt(8)) {
            case 0, 1, 2, 3 -> reshaped(t, shape(t.shape()));
            case 4, 5, 6 -> withValues(t);
            default -> cast(t, TYPES[random.nextInt(TYPES.length)]);
        };
    }

    /** Another shape, mostly a near one. */
    Shape shape(Shape s) {
        if (random.nextInt(6) == 0) {
            Shape[] special = {
                Shape.SCALAR,
                Shape.of(0),
                Shape.of(1),
                Shape.of(2),
                Shape.of(1, 1),
                Shape.of(0, 3),
                Shape.of(1L << 40, 0),
                Shape.of(0, 1L << 40),
                Shape.of(2, 1L << 40, 0)
            };
            return special[random.nextInt(special.length)];
        }
        long[] d = s.dims();
        if (d.length == 0) return Shape.of(random.nextInt(3));
        int at = random.nextInt(d.length);
        switch (random.nextInt(8)) {
            case 0 -> d[at] = 0;
            case 6 -> { // nothing in it, yet a loop over its rows would not end
                d[at] = 1L << 40;
                d[random.nextInt(d.length)] = 0;
            }
            case 1 -> d[at]++;
            case 2 -> d[at] = Math.max(0, d[at] - 1);
            case 3 -> d[at] = random.nextInt(9);
            case 4 -> d = Arrays.copyOf(d, d.length - 1);
            case 5 -> {
                d = Arrays.copyOf(d, d.length + 1);
                d[d.length - 1] = random.nextInt(4);
            }
            default -> {
                int other = random.nextInt(d.length);
                long kept = d[at];
                d[at] = d[other];
                d[other] = kept;
            }
        }
        Shape made = Shape.of(d);
        return made.size() > 1 << 20 ? s : made;
    }

    private static Tensor reshaped(Tensor t, Shape shape) {
        if (t.dtype().isObject()) {
            Object[] values = new Object[(int) shape.size()];
            for (int i = 0; i < values.length; i++)
                values[i] = t.size() == 0 ? new byte[0] : t.objects()[i % (int) t.size()];
            return t.dtype() == DType.STRING ? Tensor.ofObjects(t.dtype(), shape, values) : t;
        }
        Tensor made = Tensor.zeros(t.dtype(), shape);
        byte[] from = t.bytes(), to = new byte[(int) made.byteSize()];
        for (int i = 0; i < to.length && from.length > 0; i++) to[i] = from[i % from.length];
        return Tensor.ofBytes(t.dtype(), shape, ByteBuffer.wrap(to));
    }

    private Tensor withValues(Tensor t) {
        if (t.size() == 0 || t.dtype().isObject() && t.dtype() != DType.STRING) return t;
        Tensor made = reshaped(t, t.shape());
        int changes = 1 + random.nextInt((int) Math.min(4, t.size()));
        for (int i = 0; i < changes; i++) {
            int at = random.nextInt((int) t.size());
            if (t.dtype() == DType.STRING)
                made.objects()[at] = TEXT[random.nextInt(TEXT.length)].getBytes(StandardCharsets.UTF_8);
            else if (t.dtype().isFloating() || t.dtype().isComplex()) made.set(at, REAL[random.nextInt(REAL.length)]);
            else made.setLong(at, t.dtype() == DType.BOOL ? random.nextInt(2) : WHOLE[random.nextInt(WHOLE.length)]);
        }
        return made;
    }

    private static Tensor cast(Tensor t, DType to) {
        if (to == DType.RESOURCE || to == DType.VARIANT || t.dtype() == DType.RESOURCE || t.dtype() == DType.VARIANT)
            return t;
        Tensor made = Tensor.zeros(to, t.shape());
        if (to == DType.STRING || t.dtype() == DType.STRING || t.dtype().isComplex()) return made;
        for (long i = 0; i < t.size(); i++) made.set(i, t.getDouble(i));
        return made;
    }

    long whole() {
        return WHOLE[random.nextInt(WHOLE.length)];
    }

    double real() {
        return REAL[random.nextInt(REAL.length)];
    }

    String text() {
        return TEXT[random.nextInt(TEXT.length)];
    }

    DType type() {
        return TYPES[random.nextInt(TYPES.length)];
    }
}
