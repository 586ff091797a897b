package dev.oxbow.data.source;

import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/** Cuts bytes at line feeds that are not quoted. */
final class RowCutter {
    private static final int CHUNK = 1 << 16;
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long ONES = 0x0101010101010101L, HIGHS = 0x8080808080808080L;
    private static final int LONGEST = 1 << 28;
    private static final byte[] MARK = {(byte) 0xef, (byte) 0xbb, (byte) 0xbf};

    private final InputStream in;
    private final String file;
    private final byte quote;
    private final long size;
    private byte[] chunk = new byte[CHUNK];
    private int from;
    private int to;

    /** Where in the file the chunk begins. */
    private long base;

    private boolean ended;
    private boolean begun;

    RowCutter(InputStream in, String file, byte quote, long size) {
        this.in = in;
        this.file = file;
        this.quote = quote;
        this.size = size;
    }

    /** Where the next row begins. */
    long offset() throws IOException {
        if (!begun) passMark();
        return base + from;
    }

    /** The next row without its end; null behind the last. */
    byte[] next() throws IOException {
        if (!begun) passMark();
        int at = from;
        boolean quoted = false;
        while (true) {
            for (at = next(at, quoted); at < to; at = next(at + 1, quoted)) {
                if (chunk[at] == quote && quote != 0) quoted = !quoted;
                else if (!quoted) return row(at, at + 1);
            }
            if (ended) break;
            at -= more();
        }
        if (quoted) throw Record.broken(file, offset(), "a quote is not closed before the end of the file");
        return from == to ? null : row(to, to);
    }

    /** Where the next quote or line feed is, or the end of the chunk; inside of quotes the next quote is all that matters. */
    private int next(int from, boolean quoted) {
        int at = from;
        long quotes = quote * ONES, feeds = (quoted ? quote : '\n') * ONES;
        if (quote == 0) quotes = feeds;
        for (; at + Long.BYTES <= to; at += Long.BYTES) {
            long x = (long) LONG.get(chunk, at), q = x ^ quotes, f = x ^ feeds;
            long found = ((q - ONES) & ~q | (f - ONES) & ~f) & HIGHS;
            if (found != 0) return at + (Long.numberOfTrailingZeros(found) >>> 3);
        }
        while (at < to && chunk[at] != (quoted ? quote : '\n') && (quote == 0 || chunk[at] != quote)) at++;
        return at;
    }

    private byte[] row(int end, int next) {
        int stop = end > from && chunk[end - 1] == '\r' ? end - 1 : end;
        byte[] row = Arrays.copyOfRange(chunk, from, stop);
        from = next;
        return row;
    }

    /** Reads on behind what is there, which moves to the front; by how much. */
    private int more() throws IOException {
        int moved = from, kept = to - from;
        System.arraycopy(chunk, from, chunk, 0, kept);
        base += moved;
        from = 0;
        to = kept;
        if (to == chunk.length) {
            if (to >= Math.min(LONGEST, size + CHUNK))
                throw Record.broken(file, base, "a row is longer than %d bytes".formatted(to));
            chunk = Arrays.copyOf(chunk, 2 * chunk.length);
        }
        int read = in.read(chunk, to, chunk.length - to);
        if (read < 0) ended = true;
        else to += read;
        return moved;
    }

    /** Goes past the mark that says that a file is UTF-8, where it begins with one. */
    private void passMark() throws IOException {
        begun = true;
        while (to < MARK.length && !ended) more();
        if (to >= MARK.length && Arrays.equals(chunk, 0, MARK.length, MARK, 0, MARK.length)) from = MARK.length;
    }
}
