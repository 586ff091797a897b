package dev.oxbow.wire;

import static dev.oxbow.tensor.ErrorCode.DATA_LOSS;

import dev.oxbow.tensor.OxbowException;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;

/** Whole numbers in groups of seven bits, lowest first. */
final class Varint {
    private Varint() {}

    static long read(ByteBuffer in, String what) {
        long value = 0;
        for (int shift = 0; shift < 64 && in.hasRemaining(); shift += 7) {
            byte b = in.get();
            value |= (b & 0x7fL) << shift;
            if (b >= 0) return value;
        }
        throw new OxbowException(DATA_LOSS, what + ": a varint has no end before byte " + in.position());
    }

    static void write(ByteArrayOutputStream out, long value) {
        long v = value;
        while ((v & ~0x7fL) != 0) {
            out.write((int) v | 0x80);
            v >>>= 7;
        }
        out.write((int) v);
    }
}
