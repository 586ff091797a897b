package dev.oxbow.wire;

import static dev.oxbow.tensor.ErrorCode.DATA_LOSS;

import dev.oxbow.tensor.OxbowException;
import java.io.IOException;
import java.io.InputStream;

/** The records of a TensorFlow record file, one after the other. Lengths are checked here; contents by whoever wants them. */
public final class RecordStream {
    private final String file;
    private final InputStream in;
    private final long longest;
    private long at;

    /** The content of a file, which messages name, from byte {@code at} on; no record is {@code longest} bytes or more. */
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

    /** The next record with its checksum, which was not looked at; null at the end. */
    public byte[] next() throws IOException {
        int length = header();
        if (length < 0) return null;
        byte[] framed = in.readNBytes(length + RecordFrame.FOOTER);
        if (framed.length < length + RecordFrame.FOOTER)
            throw broken(
                    at,
                    "the file ends after %d of %d bytes of a record"
                            .formatted(framed.length, length + RecordFrame.FOOTER));
        at += RecordFrame.HEADER + (long) framed.length;
        return framed;
    }

    /** Goes past a record; false at the end. */
    public boolean skip() throws IOException {
        int length = header();
        if (length < 0) return false;
        in.skipNBytes(length + (long) RecordFrame.FOOTER);
        at += RecordFrame.HEADER + (long) length + RecordFrame.FOOTER;
        return true;
    }

    private int header() throws IOException {
        byte[] header = in.readNBytes(RecordFrame.HEADER);
        if (header.length == 0) return -1;
        if (header.length < RecordFrame.HEADER) throw broken(at, "the file ends inside of a header");
        String wrong = RecordFrame.lengthError(header);
        if (wrong != null) throw broken(at, wrong);
        long length = RecordFrame.length(header);
        if (length < 0 || length > longest)
            throw broken(
                    at,
                    "a record of %s bytes is longer than the %d that there can be"
                            .formatted(Long.toUnsignedString(length), longest));
        return (int) length;
    }

    /** The content of a record that began at {@code offset}. */
    public byte[] content(byte[] framed, long offset) {
        return content(file, framed, offset);
    }

    /** The content of a record of a file, or an error where its checksum is another one. */
    public static byte[] content(String file, byte[] framed, long offset) {
        String wrong = RecordFrame.contentError(framed);
        if (wrong != null) throw broken(file, offset, wrong);
        return RecordFrame.content(framed);
    }

    private OxbowException broken(long offset, String rule) {
        return broken(file, offset, rule);
    }

    private static OxbowException broken(String file, long offset, String rule) {
        return new OxbowException(DATA_LOSS, "%s at byte %d: %s".formatted(file, offset, rule));
    }
}
