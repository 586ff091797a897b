package dev.oxbow.data.source;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/**
 * A stream that says truly whether anything is left. {@link java.util.zip.GZIPInputStream} takes {@link #available} for that where a member
 * of a file ends, and the streams of other file systems may always say 0: the members behind would be lost without a word.
 */
final class KnownEnd extends FilterInputStream {

    /** @param in must be able to go back to a mark */
    KnownEnd(InputStream in) {
        super(in);
    }

    @Override
    public int available() throws IOException {
        in.mark(1);
        int next = in.read();
        in.reset();
        return next < 0 ? 0 : Math.max(1, in.available());
    }
}
