package dev.oxbow.ops.text;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.TensorType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToLongFunction;
import java.util.function.UnaryOperator;

/** What ops on strings share. Strings are bytes; those that ops treat as text are UTF-8. */
final class Strings {
    private Strings() {}

    /** The type of a tensor with the shape of input 0. */
    static List<TensorType> like(InferenceContext c) {
        return List.of(new TensorType(c.outputDtype(0), c.shape(0)));
    }

    static byte[] get(Tensor t, long i) {
        return (byte[]) t.objects()[(int) i];
    }

    /** A kernel that maps every string. */
    static Kernel map(UnaryOperator<byte[]> f) {
        return c -> {
            Object[] x = c.input(0).objects(), y = c.output(0).objects();
            for (int i = 0; i < x.length; i++) y[i] = f.apply((byte[]) x[i]);
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
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (int i = 0; i < parts.size(); i++) {
            if (i > 0) out.writeBytes(separator);
            out.writeBytes(parts.get(i));
        }
        return out.toByteArray();
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

    static void requireScalar(String op, String what, Shape s) {
        require(s.rank() <= 0, INVALID_ARGUMENT, "%s: %s must be a scalar, got shape %s", op, what, s);
    }
}
