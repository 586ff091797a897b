package dev.oxbow.benchmarks;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Half;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongConsumer;
import java.util.stream.LongStream;

/** Arrays made of their name and positions alone, so that programs in other languages can make the same. */
final class StartValues {

    /*
     * A number z is mixed from the name's hash and the position (splitmix64). The sum of its four 16-bit fields is nearly
     * normal; whole numbers are its upper bits modulo their bound.
     */

    private static final long STEP = 0x9E3779B97F4A7C15L;
    private static final long GRAIN = 1 << 16;

    private StartValues() {}

    private static long mixed(long seed, long position) {
        long z = seed + (position + 1) * STEP;
        z = (z ^ z >>> 30) * 0xBF58476D1CE4E5B9L;
        z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
        return z ^ z >>> 31;
    }

    static float normal(long seed, long position, float scale) {
        long z = mixed(seed, position);
        long sum = (z & 0xffff) + (z >>> 16 & 0xffff) + (z >>> 32 & 0xffff) + (z >>> 48);
        return (float) (sum - 131_070) * scale;
    }

    static float scale(double deviation) {
        return (float) (deviation * Math.sqrt(3.0 / 4294967295.0));
    }

    static long whole(long seed, long position, long bound) {
        return (mixed(seed, position) >>> 33) % bound;
    }

    /** A tensor of f32 or bf16 with this deviation. */
    static Tensor normal(String name, double deviation, DType dtype, long... shape) {
        Tensor t = Tensor.allocate(dtype, Shape.of(shape));
        long seed = name.hashCode(), n = t.size(), address = t.address();
        float scale = scale(deviation);
        each(n, i -> {
            float v = normal(seed, i, scale);
            if (dtype == DType.BF16) Memory.putShort(address + 2 * i, Half.toBf16(v));
            else Memory.putFloat(address + 4 * i, v);
        });
        return t;
    }

    /** A tensor of i32 with numbers below {@code bound}. */
    static Tensor wholeNumbers(String name, long bound, long... shape) {
        Tensor t = Tensor.allocate(DType.I32, Shape.of(shape));
        long seed = name.hashCode(), address = t.address();
        each(t.size(), i -> Memory.putInt(address + 4 * i, (int) whole(seed, i, bound)));
        return t;
    }

    private static void each(long n, LongConsumer body) {
        LongStream.range(0, (n + GRAIN - 1) / GRAIN).parallel().forEach(b -> {
            for (long i = b * GRAIN; i < Math.min(n, (b + 1) * GRAIN); i++) body.accept(i);
        });
    }

    /** The arrays of a training step, under the names that {@link OxbowPeer} has for them. */
    static Inputs of(Workload w) {
        Arrays a = new Arrays(w.plain().key());
        switch (w.plain()) {
            case MLP -> {
                int[] sizes = {784, 512, 256, 10};
                for (int i = 0; i < 3; i++) a.dense(i, sizes[i], sizes[i + 1]);
                a.normal("x", 1, 128, 784).whole("y", 10, 128);
            }
            case CNN -> {
                a.normal("w0", Math.sqrt(0.5 / 25), 5, 5, 1, 32).constant("b0", 0, 32);
                a.normal("w1", Math.sqrt(0.5 / (25 * 32)), 5, 5, 32, 64).constant("b1", 0, 64);
                a.dense(2, 3136, 1024).dense(3, 1024, 10);
                a.normal("x", 1, 64, 28, 28, 1).whole("y", 10, 64);
            }
            case TRANSFORMER -> {
                a.constant("g0", 1, 256).constant("b0", 0, 256);
                for (int i = 1; i <= 4; i++) a.dense(i, 256, 256);
                a.constant("g5", 1, 256).constant("b5", 0, 256);
                a.dense(6, 256, 1024).dense(7, 1024, 256);
                a.normal("x", 1, 8, 128, 256).normal("y", 1, 8, 128, 256);
            }
            case LSTM -> {
                a.normal("w0", Math.pow(256, -0.5), 256, 1024).normal("w1", Math.pow(256, -0.5), 256, 1024);
                a.constant("b0", 0, 1024).normal("x", 1, 64, 32, 256).normal("y", 0.5, 32, 256);
            }
            case EMBEDDING -> {
                a.normal("w0", 0.1, 1_000_000, 32).dense(1, 26 * 32, 256).dense(2, 256, 1);
                a.whole("x", 1_000_000, 2048, 26).coins("y", 2048, 1);
            }
            case TINY_ADD -> a.normal("x", 1, 16).normal("y", 0.01, 16);
            default -> throw new IllegalArgumentException("no start values for " + w);
        }
        return new Inputs(a.all);
    }

    /** Arrays of one workload, in the order of their making. */
    private static final class Arrays {
        final Map<String, Inputs.Array> all = new LinkedHashMap<>();
        private final String prefix;

        Arrays(String prefix) {
            this.prefix = prefix.equals("tiny-add") ? "tiny" : prefix;
        }

        private interface Element {
            void put(ByteBuffer to, long seed, long i);
        }

        private Arrays add(String name, String dtype, long[] shape, Element element) {
            long n = Shape.of(shape).size(), seed = (prefix + "." + name).hashCode();
            ByteBuffer bytes = ByteBuffer.allocate(Math.toIntExact(4 * n)).order(ByteOrder.LITTLE_ENDIAN);
            for (long i = 0; i < n; i++) element.put(bytes, seed, i);
            all.put(name, new Inputs.Array(name, dtype, shape, bytes.array()));
            return this;
        }

        Arrays normal(String name, double deviation, long... shape) {
            float scale = scale(deviation);
            return add(name, "f32", shape, (b, seed, i) -> b.putFloat(StartValues.normal(seed, i, scale)));
        }

        Arrays whole(String name, long bound, long... shape) {
            return add(name, "i32", shape, (b, seed, i) -> b.putInt((int) StartValues.whole(seed, i, bound)));
        }

        Arrays coins(String name, long... shape) {
            return add(name, "f32", shape, (b, seed, i) -> b.putFloat(StartValues.whole(seed, i, 2)));
        }

        Arrays constant(String name, float value, long... shape) {
            return add(name, "f32", shape, (b, seed, i) -> b.putFloat(value));
        }

        Arrays dense(int number, int in, int out) {
            return normal("w" + number, Math.pow(in, -0.5), in, out).constant("b" + number, 0, out);
        }
    }
}
