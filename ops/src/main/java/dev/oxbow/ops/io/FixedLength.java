package dev.oxbow.ops.io;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.RESOURCE_EXHAUSTED;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.ops.Arguments;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.util.Arrays;

/** Where records of one length lie in a file: between a header and a footer, {@code hop} bytes from one to the next. */
public record FixedLength(long header, long record, long footer, long hop) {

    public FixedLength {
        require(
                header >= 0 && record > 0 && footer >= 0 && hop >= 0,
                INVALID_ARGUMENT,
                "header_bytes, footer_bytes and hop_bytes must be >= 0 and record_bytes > 0, got %d, %d, %d and %d",
                header,
                footer,
                hop,
                record);
        require(
                record <= Integer.MAX_VALUE - 64 && footer <= Integer.MAX_VALUE - 64 - record,
                RESOURCE_EXHAUSTED,
                "a record and a footer of %d and %d bytes do not fit into an array",
                record,
                footer);
    }

    /** Checks that a file has whole records only. */
    public void checkWhole(String file) {
        try {
            long body = Files.size(Arguments.path(file)) - header - footer;
            require(
                    body >= 0 && body % record == 0,
                    INVALID_ARGUMENT,
                    "Excluding the header (%d bytes) and footer (%d bytes), input file \"%s\" has body length %d bytes,"
                            + " which is not an exact multiple of the record length (%d bytes).",
                    header,
                    footer,
                    file,
                    body,
                    record);
        } catch (IOException e) {
            throw Arguments.failed(file, e);
        }
    }

    Cutter cutter(InputStream in) {
        return new Cutter(in);
    }

    /** Takes the records of a stream. What may be the footer is held back. */
    final class Cutter {
        private final InputStream in;
        private byte[] window = {};
        private boolean begun;
        private long count;

        private Cutter(InputStream in) {
            this.in = in;
        }

        long count() {
            return count;
        }

        /** The next record; null where no whole one is left. */
        byte[] next() throws IOException {
            if (!begun) skip(header);
            begun = true;
            int wanted = (int) (record + footer);
            if (window.length < wanted) {
                byte[] more = in.readNBytes(wanted - window.length);
                int had = window.length;
                window = Arrays.copyOf(window, had + more.length);
                System.arraycopy(more, 0, window, had, more.length);
            }
            if (window.length < wanted) return null;
            byte[] next = Arrays.copyOf(window, (int) record);
            long on = hop == 0 ? record : hop;
            if (on > window.length) skip(on - window.length);
            window = Arrays.copyOfRange(window, (int) Math.min(on, window.length), window.length);
            count++;
            return next;
        }

        private void skip(long n) throws IOException {
            for (long left = n; left > 0; ) {
                long some = in.skip(left);
                if (some == 0 && in.read() < 0) return;
                left -= some == 0 ? 1 : some;
            }
        }
    }
}
