package dev.oxbow.parquet;

import dev.oxbow.data.source.FileStore;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import org.apache.parquet.io.InputFile;
import org.apache.parquet.io.SeekableInputStream;

/** A file of a store as the library wants it. */
record StoredFile(FileStore store, String name) implements InputFile {

    @Override
    public long getLength() throws IOException {
        return store.size(name);
    }

    @Override
    public SeekableInputStream newStream() throws IOException {
        return new Stream(store.open(name, 0));
    }

    private final class Stream extends SeekableInputStream {
        private InputStream in;
        private long at;

        Stream(InputStream in) {
            this.in = in;
        }

        @Override
        public long getPos() {
            return at;
        }

        @Override
        public void seek(long position) throws IOException {
            if (position == at) return;
            in.close();
            in = store.open(name, position);
            at = position;
        }

        @Override
        public int read() throws IOException {
            int b = in.read();
            if (b >= 0) at++;
            return b;
        }

        @Override
        public int read(byte[] to, int from, int count) throws IOException {
            int n = in.read(to, from, count);
            if (n > 0) at += n;
            return n;
        }

        @Override
        public void readFully(byte[] to) throws IOException {
            readFully(to, 0, to.length);
        }

        @Override
        public void readFully(byte[] to, int from, int count) throws IOException {
            int n = in.readNBytes(to, from, count);
            at += n;
            if (n < count)
                throw new EOFException("the file ends at byte %d, %d more are wanted".formatted(at, count - n));
        }

        @Override
        public int read(ByteBuffer to) throws IOException {
            byte[] some = new byte[to.remaining()];
            int n = read(some, 0, some.length);
            if (n > 0) to.put(some, 0, n);
            return n;
        }

        @Override
        public void readFully(ByteBuffer to) throws IOException {
            if (to.hasArray()) {
                readFully(to.array(), to.arrayOffset() + to.position(), to.remaining());
                to.position(to.limit());
                return;
            }
            byte[] all = new byte[to.remaining()];
            readFully(all);
            to.put(all);
        }

        @Override
        public void close() throws IOException {
            in.close();
        }
    }
}
