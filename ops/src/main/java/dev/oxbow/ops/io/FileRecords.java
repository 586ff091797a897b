package dev.oxbow.ops.io;

import static dev.oxbow.tensor.ErrorCode.DATA_LOSS;
import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.ops.Arguments;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.wire.RecordStream;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.zip.GZIPInputStream;
import java.util.zip.InflaterInputStream;
import java.util.zip.ZipException;

/** The records of one file in order, as TensorFlow's readers and data sets cut it. */
public abstract class FileRecords implements AutoCloseable {
    private static final int BUFFER = 1 << 16;
    private static final List<String> KINDS = List.of("", "ZLIB", "GZIP");

    final String file;
    final InputStream in;

    /** What distinguishes the last record among those of its file. */
    long label;

    private FileRecords(String file, InputStream in) {
        this.file = file;
        this.in = in;
    }

    /** The next record; null at the end. */
    abstract byte[] take() throws IOException;

    /** The next record; null at the end. Errors name the file. */
    public final byte[] next() {
        try {
            return take();
        } catch (EOFException e) {
            throw new OxbowException(DATA_LOSS, file + ": its compressed content has no end", e);
        } catch (ZipException e) {
            throw new OxbowException(DATA_LOSS, file + ": inflate failed: " + e.getMessage(), e);
        } catch (IOException e) {
            throw Arguments.failed(file, e);
        }
    }

    @Override
    public void close() {
        try {
            if (in != null) in.close();
        } catch (IOException e) {
            throw Arguments.failed(file, e);
        }
    }

    /** How a file becomes records. */
    @FunctionalInterface
    public interface Format {
        FileRecords open(String file);
    }

    public static void checkCompression(String kind) {
        require(
                KINDS.contains(kind),
                INVALID_ARGUMENT,
                "Unsupported compression_type: '%s', known are %s",
                kind,
                KINDS);
    }

    private static InputStream open(String file, String compression, long from) {
        try {
            FileChannel channel = FileChannel.open(Arguments.path(file), StandardOpenOption.READ);
            try {
                channel.position(from);
                InputStream raw = new BufferedInputStream(Channels.newInputStream(channel), BUFFER);
                return switch (compression) {
                    case "GZIP" -> new BufferedInputStream(new GZIPInputStream(raw, BUFFER), BUFFER);
                    case "ZLIB" -> new BufferedInputStream(new InflaterInputStream(raw), BUFFER);
                    default -> raw;
                };
            } catch (IOException e) {
                channel.close();
                throw e;
            }
        } catch (EOFException | ZipException e) {
            throw new OxbowException(DATA_LOSS, file + ": inflate failed: " + e.getMessage(), e);
        } catch (IOException e) {
            throw Arguments.failed(file, e);
        }
    }

    /** TensorFlow's record files, from a byte on; the label of a record is where it begins. */
    public static FileRecords frames(String file, String compression, long from) {
        InputStream in = open(file, compression, compression.isEmpty() ? from : 0);
        long longest = Runtime.getRuntime().maxMemory() / 4;
        return new FileRecords(file, in) {
            private final RecordStream records =
                    new RecordStream(file, in, compression.isEmpty() ? from : skipped(in, from), longest);

            @Override
            byte[] take() throws IOException {
                label = records.offset();
                RecordStream.Framed record = records.next();
                return record == null ? null : record.content();
            }
        };
    }

    private static long skipped(InputStream in, long from) {
        try {
            in.skipNBytes(from);
            return from;
        } catch (IOException e) {
            throw new OxbowException(DATA_LOSS, "there are no %d bytes to go past: %s".formatted(from, e), e);
        }
    }

    /** Lines without their ends and carriage returns; the label of a record is its number, from 1 on. */
    public static FileRecords lines(String file, String compression, long skipped) {
        LineReader lines = new LineReader(open(file, compression, 0), file);
        return new FileRecords(file, lines.stream()) {
            @Override
            byte[] take() throws IOException {
                for (; label < skipped; label++) if (lines.next() == null) return null;
                label++;
                return lines.next();
            }
        };
    }

    /** A whole file as one record, named as the file. */
    static FileRecords whole(String file) {
        return single(file, () -> Arguments.contents(file));
    }

    /** The name itself as the record. */
    static FileRecords name(String file, byte[] name) {
        return single(file, () -> name);
    }

    private interface Content {
        byte[] get();
    }

    private static FileRecords single(String file, Content content) {
        return new FileRecords(file, null) {
            @Override
            byte[] take() {
                if (label > 0) return null;
                byte[] all = content.get();
                label++;
                return all;
            }
        };
    }

    /** Records of one length between a header and a footer; the label of a record is its number, from 0 on. */
    public static FileRecords fixed(String file, String compression, FixedLength layout) {
        InputStream in = open(file, compression, 0);
        return new FileRecords(file, in) {
            private final FixedLength.Cutter cutter = layout.cutter(in);

            @Override
            byte[] take() throws IOException {
                byte[] record = cutter.next();
                label = cutter.count() - 1;
                return record;
            }
        };
    }
}
