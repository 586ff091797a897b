package dev.oxbow.wire;

import static dev.oxbow.tensor.ErrorCode.DATA_LOSS;

import dev.oxbow.tensor.OxbowException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/** The records of a TensorFlow record file, one after the other. Lengths are checked here; contents by whoever wants them. */
public final class RecordStream {
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final int CHUNK = 1 << 18, KNOWN = 256;

    private final String file;
    private final InputStream in;
    private final long longest;
    private final byte[] chunk = new byte[CHUNK];

    /** Lengths that were seen, each with its checksum: records of a file have few. */
    private final long[] lengths = new long[KNOWN];

    private final int[] checksums = new int[KNOWN];
    private int from;
    private int to;
    private long at;

    /** A record whose checksum was not looked at yet. */
    public record Framed(String file, long offset, byte[] bytes, int checksum) {

        /** Its content, or an error where it has another checksum. */
        public byte[] content() {
            int computed = Checksum.masked(bytes, 0, bytes.length);
            if (computed != checksum)
                throw broken(
                        file,
                        offset,
                        "a record of %d bytes has checksum %08x, wanted is %08x"
                                .formatted(bytes.length, computed, checksum));
            return bytes;
        }
    }

    /** The content of a file, which messages name, from byte {@code at} on; no record is longer than {@code longest} bytes. */
    public RecordStream(String file, InputStream in, long at, long longest) {
        this.file = file;
        this.in = in;
        this.at = at;
        this.longest = Math.min(longest, Integer.MAX_VALUE - 64);
    }

    /** Where the next record begins. */
    public long offset() {
        return at;
    }

    /** The next record; null at the end. */
    public Framed next() throws IOException {
        int length = header();
        if (length < 0) return null;
        byte[] bytes = content(length);
        boolean whole = bytes.length == length && reserve(RecordFrame.FOOTER) == RecordFrame.FOOTER;
        if (!whole)
            throw broken(
                    file,
                    at,
                    "the file ends after %d of %d bytes of a record"
                            .formatted(bytes.length + to - from, length + RecordFrame.FOOTER));
        Framed record = new Framed(file, at, bytes, (int) INT.get(chunk, from));
        from += RecordFrame.FOOTER;
        at += RecordFrame.HEADER + (long) length + RecordFrame.FOOTER;
        return record;
    }

    /** Goes past a record; false at the end. */
    public boolean skip() throws IOException {
        int length = header();
        if (length < 0) return false;
        long left = length + (long) RecordFrame.FOOTER, here = Math.min(left, to - from);
        from += (int) here;
        in.skipNBytes(left - here);
        at += RecordFrame.HEADER + left;
        return true;
    }

    private int header() throws IOException {
        int there = reserve(RecordFrame.HEADER);
        if (there == 0) return -1;
        if (there < RecordFrame.HEADER) throw broken(file, at, "the file ends inside of a header");
        long length = (long) LONG.get(chunk, from);
        int stored = (int) INT.get(chunk, from + Long.BYTES), known = (int) length & KNOWN - 1;
        if (length == 0 || lengths[known] != length || checksums[known] != stored) {
            int computed = Checksum.masked(chunk, from, Long.BYTES);
            if (stored != computed) throw broken(file, at, RecordFrame.lengthError(stored, computed));
            lengths[known] = length;
            checksums[known] = stored;
        }
        if (length < 0 || length > longest)
            throw broken(
                    file,
                    at,
                    "a record of %s bytes is longer than the %d that there can be"
                            .formatted(Long.toUnsignedString(length), longest));
        from += RecordFrame.HEADER;
        return (int) length;
    }

    /** Reads until so many bytes are in the chunk, or the file ends; how many of them are there. */
    private int reserve(int n) throws IOException {
        if (to - from >= n) return n;
        System.arraycopy(chunk, from, chunk, 0, to - from);
        to -= from;
        from = 0;
        while (to < n) {
            int read = in.read(chunk, to, CHUNK - to);
            if (read < 0) return to;
            to += read;
        }
        return n;
    }

    /** The next bytes, as many as there are; a length takes no memory before its bytes were seen. */
    private byte[] content(int length) throws IOException {
        int here = Math.min(length, length <= CHUNK ? reserve(length) : to - from);
        byte[] bytes = Arrays.copyOfRange(chunk, from, from + here);
        from += here;
        if (here == length || length <= CHUNK) return bytes;
        byte[] rest = in.readNBytes(length - here), all = Arrays.copyOf(bytes, here + rest.length);
        System.arraycopy(rest, 0, all, here, rest.length);
        return all;
    }

    private static OxbowException broken(String file, long offset, String rule) {
        return new OxbowException(DATA_LOSS, "%s at byte %d: %s".formatted(file, offset, rule));
    }
}
