package dev.oxbow.data;

import static dev.oxbow.tensor.ErrorCode.DATA_LOSS;
import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.ErrorCode.NOT_FOUND;
import static dev.oxbow.tensor.ErrorCode.RESOURCE_EXHAUSTED;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;

/** The format of MNIST: a magic number with type and rank, the sizes, then the elements, big-endian; plain or gzipped. */
public final class Idx {
    /** Deflate makes nothing smaller than this. */
    private static final long MAX_DEFLATION = 1032;

    private static final int MAX_RANK = 8;

    private Idx() {}

    /** The array in a file, which the caller closes: u8, i8, i16, i32, f32 or f64. */
    public static Tensor read(Path file) {
        try (InputStream raw = new BufferedInputStream(Files.newInputStream(file))) {
            raw.mark(2);
            boolean zipped = raw.read() == 0x1f && raw.read() == 0x8b;
            raw.reset();
            long most = Math.multiplyExact(Files.size(file), zipped ? MAX_DEFLATION : 1);
            return read(new DataInputStream(zipped ? new GZIPInputStream(raw) : raw), file, most);
        } catch (NoSuchFileException e) {
            throw new OxbowException(NOT_FOUND, "idx: there is no file " + file, e);
        } catch (EOFException e) {
            throw new OxbowException(DATA_LOSS, "idx: " + file + " ends before its elements do", e);
        } catch (IOException e) {
            throw new OxbowException(FAILED_PRECONDITION, "idx: can not read " + file + ": " + e, e);
        }
    }

    private static Tensor read(DataInputStream in, Path file, long most) throws IOException {
        int magic = in.readInt(), rank = magic & 0xff;
        DType dtype = switch (magic >>> 8) {
            case 0x08 -> DType.U8;
            case 0x09 -> DType.I8;
            case 0x0b -> DType.I16;
            case 0x0c -> DType.I32;
            case 0x0d -> DType.F32;
            case 0x0e -> DType.F64;
            default -> null;
        };
        require(dtype != null && rank <= MAX_RANK, DATA_LOSS, "idx: %s begins with %08x, no magic number", file, magic);
        long[] dims = new long[rank];
        long bytes = dtype.size();
        for (int i = 0; i < rank; i++) {
            dims[i] = in.readInt() & 0xffffffffL;
            require(
                    dims[i] == 0 || bytes <= most / dims[i],
                    DATA_LOSS,
                    "idx: %s is too short for %d dimensions of which number %d is %d",
                    file,
                    rank,
                    i,
                    dims[i]);
            bytes *= dims[i];
        }
        Shape shape = Shape.of(dims);
        require(
                bytes <= Integer.MAX_VALUE,
                RESOURCE_EXHAUSTED,
                "idx: %s holds %d bytes, more than an array",
                file,
                bytes);
        byte[] content = in.readNBytes((int) bytes);
        if (content.length < bytes) throw new EOFException();
        return Tensor.ofBytes(dtype, shape, ByteBuffer.wrap(swapped(content, dtype.size())));
    }

    /** Big-endian elements in the order of this machine, which is little-endian. */
    private static byte[] swapped(byte[] b, int width) {
        for (int at = 0; width > 1 && at < b.length; at += width)
            for (int i = 0; i < width / 2; i++) {
                byte x = b[at + i];
                b[at + i] = b[at + width - 1 - i];
                b[at + width - 1 - i] = x;
            }
        return b;
    }
}
