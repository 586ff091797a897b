package dev.oxbow.data.source;

import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.ErrorCode.NOT_FOUND;

import dev.oxbow.data.pipeline.Cursor;
import dev.oxbow.data.pipeline.Lazy;
import dev.oxbow.data.pipeline.Setting;
import dev.oxbow.data.pipeline.Stage;
import dev.oxbow.tensor.OxbowException;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/**
 * The records of files, one file after the other. A file that can not be cut any further is an error in the place of its next
 * record, and the next file follows.
 */
record RecordFiles(FileStore store, List<String> patterns, RecordFormat format) implements Stage<Record> {
    private static final int START = 16;
    private static final long MOST = Integer.MAX_VALUE - 64;

    RecordFiles {
        patterns = List.copyOf(patterns);
    }

    @Override
    public Cursor<Record> open(Setting setting) {
        return new Walk(store.files(format.name(), patterns));
    }

    private final class Walk implements Cursor<Record> {
        private final List<String> files;
        private int next;
        private InputStream in;
        private RecordFormat.Reading reading;

        Walk(List<String> files) {
            this.files = files;
        }

        @Override
        public Lazy<Record> next() {
            while (reading != null || next < files.size()) {
                try {
                    if (reading == null) begin();
                    Lazy<Record> record = reading.next();
                    if (record != null) return record;
                    close();
                } catch (OxbowException e) {
                    close();
                    return Lazy.failing(e);
                } catch (IOException | RuntimeException e) { // what a store of somebody else throws
                    close();
                    return Lazy.failing(failed(files.get(next - 1), e));
                }
            }
            return null;
        }

        @Override
        public long skip(long n) {
            long done = 0;
            while (done < n && (reading != null || next < files.size())) {
                try {
                    if (reading == null) begin();
                    if (reading.skip()) done++;
                    else close();
                } catch (IOException | RuntimeException e) {
                    close();
                    done++;
                }
            }
            return done;
        }

        private void begin() throws IOException {
            String file = files.get(next++);
            long size = store.size(file);
            InputStream raw = store.open(file, 0);
            in = raw.markSupported() ? raw : new BufferedInputStream(raw, START); // longer reads pass it by
            in.mark(START);
            byte[] start = in.readNBytes(START);
            in.reset();
            boolean zipped = start.length > 2
                    && start[0] == 0x1f
                    && start[1] == (byte) 0x8b
                    && start[2] == 8
                    && !format.isPlain(start);
            if (zipped) in = new BufferedInputStream(new GZIPInputStream(new KnownEnd(in), 1 << 16), 1 << 16);
            reading = format.read(file, in, zipped ? MOST : size);
        }

        @Override
        public void close() {
            reading = null;
            if (in == null) return;
            try {
                in.close();
            } catch (IOException e) {
                throw failed(files.get(next - 1), e);
            } finally {
                in = null;
            }
        }
    }

    private OxbowException failed(String file, Exception e) {
        return switch (e) {
            case NoSuchFileException _ ->
                new OxbowException(NOT_FOUND, format.name() + ": there is no file " + file, e);
            case FileNotFoundException _ ->
                new OxbowException(NOT_FOUND, format.name() + ": there is no file " + file, e);
            case EOFException _ -> Record.broken(file, 0, "its gzipped content has no end");
            case ZipException _ -> Record.broken(file, 0, "its content is not gzip: " + e.getMessage());
            default ->
                new OxbowException(FAILED_PRECONDITION, "%s: can not read %s: %s".formatted(format.name(), file, e), e);
        };
    }

    @Override
    public String describe() {
        return format.name() + " " + String.join(" ", patterns);
    }
}
