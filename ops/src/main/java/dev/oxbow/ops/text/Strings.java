package dev.oxbow.ops.text;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.RESOURCE_EXHAUSTED;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.TensorType;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.ToLongFunction;
import java.util.function.UnaryOperator;

/** What ops on strings share. Strings are bytes; those that ops treat as text are UTF-8. */
final class Strings {
    private static final long MOST = Runtime.getRuntime().maxMemory() / 4;

    private Strings() {}

    /** The type of a tensor with the shape of input 0. */
    static List<TensorType> like(InferenceContext c) {
        return List.of(new TensorType(c.outputDtype(0), c.shape(0)));
    }

    static byte[] get(Tensor t, long i) {
        return (byte[]) t.objects()[(int) i];
    }

    /** Makes every element of {@code y} the string that {@code f} gives for its position, while the heap has room for them. */
    static void fill(Tensor y, IntFunction<byte[]> f) {
        Object[] to = y.objects();
        long bytes = 0;
        for (int i = 0; i < to.length; i++) {
            byte[] s = f.apply(i);
            to[i] = s;
            bytes = counted(bytes, s);
        }
    }

    /** The bytes of all strings of a result with {@code s}; an error when they are more than the heap has room for. */
    static long counted(long bytes, byte[] s) {
        long all = bytes + s.length;
        require(
                all <= MOST,
                RESOURCE_EXHAUSTED,
                "the strings of the result have more than %,d bytes, a quarter of the Java heap",
                MOST);
        return all;
    }

    /** A kernel that maps every string. */
    static Kernel map(UnaryOperator<byte[]> f) {
        return c -> {
            Object[] x = c.input(0).objects();
            fill(c.output(0), i -> f.apply((byte[]) x[i]));
        };
    }

    /** A kernel that maps every string to a whole number. */
    static Kernel count(ToLongFunction<byte[]> f) {
        return c -> {
            Object[] x = c.input(0).objects();
            for (int i = 0; i < x.length; i++) c.output(0).setLong(i, f.applyAsLong((byte[]) x[i]));
        };
    }

    /** UTF-8 text; bytes that are none are taken one by one as Latin-1. */
    static String text(byte[] b) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(b))
                    .toString();
        } catch (CharacterCodingException e) {
            return new String(b, StandardCharsets.ISO_8859_1);
        }
    }

    static byte[] bytes(String s) {
        return s.getBytes(StandardCharsets.UTF_8);
    }

    /** The bytes of an attribute. */
    static byte[] attribute(String s) {
        return bytes(s);
    }

    /** Strings one after the other with a separator between them. */
    static byte[] join(List<byte[]> parts, byte[] separator) {
        long size = separator.length * Math.max(0, parts.size() - 1L);
        for (byte[] p : parts) size += p.length;
        ByteBuffer joined = ByteBuffer.wrap(Counts.array(size, byte[]::new));
        for (int i = 0; i < parts.size(); i++) {
            if (i > 0) joined.put(separator);
            joined.put(parts.get(i));
        }
        return joined.array();
    }

    /** The positions where characters of UTF-8 start, and the end: every byte that continues none. */
    static int[] characterStarts(byte[] b) {
        int n = 0;
        int[] starts = new int[b.length + 1];
        for (int i = 0; i < b.length; i++) if ((b[i] & 0xc0) != 0x80) starts[n++] = i;
        starts[n] = b.length;
        return Arrays.copyOf(starts, n + 1);
    }

    /** Whether C's isspace holds. */
    static boolean isSpace(byte b) {
        return b == ' ' || b >= 9 && b <= 13;
    }

    static void requireScalar(String what, Shape s) {
        require(s.rank() <= 0, INVALID_ARGUMENT, "%s must be a scalar, got shape %s", what, s);
    }
}
