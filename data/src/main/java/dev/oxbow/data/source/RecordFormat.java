package dev.oxbow.data.source;

import dev.oxbow.data.pipeline.Lazy;
import java.io.IOException;
import java.io.InputStream;

/** How a file is cut into records. */
interface RecordFormat {

    String name();

    /** Whether a file that could be gzipped by its first bytes is plain all the same. */
    default boolean isPlain(byte[] start) {
        return false;
    }

    /** The records of a file. The stream is its content, unzipped; {@code size} is what a record can have at most. */
    Reading read(String file, InputStream in, long size);

    /** The records of one file in order. */
    interface Reading {
        /** The next record, null at the end. Throws where the file can not be cut any further. */
        Lazy<Record> next() throws IOException;

        /** Goes past a record; false at the end. */
        default boolean skip() throws IOException {
            return next() != null;
        }
    }
}
