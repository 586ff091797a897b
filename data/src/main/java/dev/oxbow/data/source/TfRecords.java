package dev.oxbow.data.source;

import dev.oxbow.data.pipeline.Lazy;
import dev.oxbow.data.pipeline.Pipeline;
import dev.oxbow.wire.RecordFrame;
import dev.oxbow.wire.RecordStream;
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
            RecordStream records = new RecordStream(file, in, 0, size);
            return new Reading() {
                @Override
                public Lazy<Record> next() throws IOException {
                    RecordStream.Framed record = records.next();
                    return record == null ? null : new Unchecked(record);
                }

                @Override
                public boolean skip() throws IOException {
                    return records.skip();
                }
            };
        }
    }

    /** A record with the checksum that was not looked at yet. */
    private record Unchecked(RecordStream.Framed framed) implements Lazy<Record> {

        @Override
        public Record get() {
            return new Record(framed.file(), framed.offset(), framed.content());
        }

        @Override
        public long bytes() {
            return framed.bytes().length;
        }
    }
}
