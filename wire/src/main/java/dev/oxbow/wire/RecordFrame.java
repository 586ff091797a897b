package dev.oxbow.wire;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;

/** A record of TensorFlow's record files: its length, the masked CRC-32C of that, its bytes, and theirs. */
public final class RecordFrame {
    /** Bytes before the content, and behind it. */
    public static final int HEADER = 12, FOOTER = 4;

    private RecordFrame() {}

    private static ByteBuffer wrap(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    public static long length(byte[] header) {
        return wrap(header).getLong(0);
    }

    /** What is wrong with the checksum of a length; null for nothing. */
    public static String lengthError(byte[] header) {
        int stored = wrap(header).getInt(Long.BYTES),
                computed = Checksum.masked(wrap(header).limit(Long.BYTES));
        return stored == computed ? null : lengthError(stored, computed);
    }

    static String lengthError(int stored, int computed) {
        return "the length of a record has checksum %08x, wanted is %08x".formatted(computed, stored);
    }

    /** What is wrong with the checksum behind a content; null for nothing. */
    public static String contentError(byte[] framed) {
        int n = framed.length - FOOTER;
        int stored = wrap(framed).getInt(n),
                computed = Checksum.masked(wrap(framed).limit(n));
        if (stored == computed) return null;
        return "a record of %d bytes has checksum %08x, wanted is %08x".formatted(n, computed, stored);
    }

    public static byte[] content(byte[] framed) {
        return Arrays.copyOf(framed, framed.length - FOOTER);
    }

    /** Writes one record. */
    public static void write(OutputStream to, byte[] record) throws IOException {
        ByteBuffer header = wrap(new byte[HEADER]);
        header.putLong(record.length);
        header.putInt(Checksum.masked(wrap(header.array()).limit(Long.BYTES)));
        to.write(header.array());
        to.write(record);
        to.write(wrap(new byte[FOOTER]).putInt(Checksum.masked(wrap(record))).array());
    }

    /** Writes a file of records, which is there whole or not at all. */
    public static void write(Path file, Iterable<byte[]> records) {
        WholeFile.write(file, out -> {
            for (byte[] r : records) write(out, r);
        });
    }
}
