package dev.oxbow.wire;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Numbers and strings as bytes that sort like the values; TensorFlow writes the keys of slices this way. */
final class OrderedCode {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    /** The key of a slice: 0, the tensor's name, the rank, then start and length of each dimension. */
    static String sliceKey(String name, TensorSlice slice) {
        OrderedCode code = new OrderedCode().number(0).bytes(name.getBytes(StandardCharsets.UTF_8));
        code.number(slice.rank());
        for (int d = 0; d < slice.rank(); d++) {
            code.signed(slice.starts().get(d)).signed(slice.lengths().get(d));
        }
        return code.out.toString(StandardCharsets.ISO_8859_1);
    }

    /** How many bytes, then these, highest first and without leading zeros. */
    OrderedCode number(long value) {
        int n = (64 - Long.numberOfLeadingZeros(value) + 7) / 8;
        out.write(n);
        for (int i = n - 1; i >= 0; i--) out.write((int) (value >>> 8 * i));
        return this;
    }

    /** The bytes with 00 written as 00 ff and ff as ff 00, ended by 00 01. */
    OrderedCode bytes(byte[] value) {
        for (byte b : value) {
            out.write(b);
            if (b == 0) out.write(0xff);
            else if (b == (byte) 0xff) out.write(0);
        }
        out.write(0);
        out.write(1);
        return this;
    }

    /** Two's complement in n bytes, highest first, with the top n bits inverted and the bit after them the sign. */
    OrderedCode signed(long value) {
        int bits = 64 - Long.numberOfLeadingZeros(value < 0 ? ~value : value);
        int n = bits / 7 + 1;
        byte sign = (byte) (value >> 63);
        byte[] wide = ByteBuffer.allocate(10).put(sign).put(sign).putLong(value).array();
        int header = 0xffff << 16 - n & 0xffff;
        wide[10 - n] ^= (byte) (header >> 8);
        if (n > 1) wide[11 - n] ^= (byte) header;
        out.write(wide, 10 - n, n);
        return this;
    }

    byte[] toByteArray() {
        return out.toByteArray();
    }
}
