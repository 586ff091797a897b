package dev.oxbow.data.source;

import dev.oxbow.data.pipeline.Lazy;
import dev.oxbow.data.pipeline.Pipeline;
import dev.oxbow.wire.RecordFrame;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;

/** TensorFlow's record files, plain or gzipped: a length and its CRC, bytes and theirs. */
public final class TfRecords {
    private TfRecords() {}

    /** The records of files, by names or patterns. */
    public static Pipeline<Record> of(String... patterns) {
        return in(FileStore.local(), patterns);
    }

    public static Pipeline<Record> in(FileStore store, String... patterns) {
        return Pipeline.of(new RecordFiles(store, List.of(patterns), new Format()));
    }

    /** Writes records to a file, which is there whole or not at all. */
    public static void write(Path file, Iterable<byte[]> records) {
        RecordFrame.write(file, records);
    }

    /** Lengths are checked by whoever walks the file, contents by whoever takes a record. */
    record Format() implements RecordFormat {

        @Override
        public String name() {
            return "tfrecord";
        }

        @Override
        public boolean isPlain(byte[] start) {
            return start.length >= RecordFrame.HEADER && RecordFrame.lengthError(start) == null;
        }

        @Override
        public Reading read(String file, InputStream in, long size) {
            return new Reading() {
                private long at;

                @Override
                public Lazy<Record> next() throws IOException {
                    int length = header();
                    if (length < 0) return null;
                    byte[] framed = in.readNBytes(length + RecordFrame.FOOTER);
                    long offset = at;
                    at += RecordFrame.HEADER + framed.length;
                    if (framed.length < length + RecordFrame.FOOTER)
                        throw Record.broken(
                                file,
                                offset,
                                "the file ends after %d of %d bytes of a record"
                                        .formatted(framed.length, length + RecordFrame.FOOTER));
                    return new Framed(file, offset, framed);
                }

                @Override
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
                    if (header.length < RecordFrame.HEADER)
                        throw Record.broken(file, at, "the file ends inside of a header");
                    String wrong = RecordFrame.lengthError(header);
                    if (wrong != null) throw Record.broken(file, at, wrong);
                    long length = RecordFrame.length(header);
                    if (length < 0 || length > size)
                        throw Record.broken(
                                file,
                                at,
                                "a record of %s bytes is longer than the %d that there can be"
                                        .formatted(Long.toUnsignedString(length), size));
                    return (int) length;
                }
            };
        }
    }

    /** A record with the checksum that was not looked at yet. */
    private record Framed(String file, long offset, byte[] framed) implements Lazy<Record> {

        @Override
        public Record get() {
            String wrong = RecordFrame.contentError(framed);
            if (wrong != null) throw Record.broken(file, offset, wrong);
            return new Record(file, offset, RecordFrame.content(framed));
        }

        @Override
        public long bytes() {
            return framed.length;
        }
    }
}
