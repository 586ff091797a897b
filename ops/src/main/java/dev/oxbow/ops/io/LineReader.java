package dev.oxbow.ops.io;

import static dev.oxbow.tensor.ErrorCode.RESOURCE_EXHAUSTED;
import static dev.oxbow.tensor.OxbowException.require;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;

/** Cuts bytes at line feeds and leaves carriage returns out, wherever they are, as TensorFlow does. */
final class LineReader {
    private static final int LONGEST =
            (int) Math.min(Integer.MAX_VALUE - 64, Runtime.getRuntime().maxMemory() / 8);

    private final InputStream in;
    private final String file;
    private final byte[] chunk = new byte[1 << 13];
    private int from;
    private int to;

    LineReader(InputStream in, String file) {
        this.in = in;
        this.file = file;
    }

    InputStream stream() {
        return in;
    }

    /** The next line; null behind the last. */
    byte[] next() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        boolean some = false;
        while (true) {
            if (from == to) {
                from = 0;
                to = Math.max(0, in.read(chunk, 0, chunk.length));
                if (to == 0) return some ? line.toByteArray() : null;
            }
            some = true;
            int start = from;
            while (from < to && chunk[from] != '\n' && chunk[from] != '\r') from++;
            line.write(chunk, start, from - start);
            require(
                    line.size() < LONGEST,
                    RESOURCE_EXHAUSTED,
                    "%s has a line of more than %,d bytes, an eighth of the Java heap",
                    file,
                    LONGEST);
            if (from < to && chunk[from++] == '\n') return line.toByteArray();
        }
    }
}
