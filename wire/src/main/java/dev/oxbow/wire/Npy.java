package dev.oxbow.wire;

import static dev.oxbow.tensor.ErrorCode.DATA_LOSS;
import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;

/** NumPy's array files: npy in versions 1 to 3, and npz archives of them. */
public final class Npy {
    /** The first moment that a zip file can name. */
    private static final LocalDateTime EPOCH = LocalDateTime.of(1980, 1, 1, 0, 0);

    private static final byte[] MAGIC = {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y'};
    private static final int MAX_HEADER = 1 << 16;
    private static final int CHUNK = 1 << 16;

    /** Deflate makes nothing smaller than this. */
    private static final long MAX_DEFLATION = 1032;

    private static final Pattern DESCR =
            Pattern.compile("['\"]descr['\"]\\s*:\\s*['\"]([<>|=]?)([a-zA-Z?])(\\d*)['\"]");
    private static final Pattern ORDER = Pattern.compile("['\"]fortran_order['\"]\\s*:\\s*(True|False)");
    private static final Pattern SHAPE = Pattern.compile("['\"]shape['\"]\\s*:\\s*\\(([\\d,\\sL]*)\\)");

    private Npy() {}

    public static Tensor read(Path file) {
        try (InputStream in = Files.newInputStream(file)) {
            return read(in, Files.size(file));
        } catch (IOException e) {
            throw Messages.failed("npy", file, e);
        } catch (OxbowException e) {
            throw named("npy", file, e);
        }
    }

    private static OxbowException named(String kind, Path file, OxbowException e) {
        return new OxbowException(
                e.code(), "%s: %s: %s".formatted(kind, file, e.text().replaceFirst("^npy: ", "")), e);
    }

    public static Tensor read(byte[] bytes) {
        try {
            return read(new ByteArrayInputStream(bytes), bytes.length);
        } catch (IOException e) {
            throw new OxbowException(DATA_LOSS, "npy: " + e.getMessage(), e);
        }
    }

    /** The array that starts at the stream's position, refused when larger than {@code maxBytes}. */
    public static Tensor read(InputStream in, long maxBytes) throws IOException {
        Header header = Header.read(in);
        long size = header.shape.size();
        require(
                size <= maxBytes / Math.max(1, header.width),
                INVALID_ARGUMENT,
                "npy: %s%s is larger than the limit or the file, %d bytes",
                header.dtype,
                header.shape,
                maxBytes);
        return header.dtype == DType.STRING ? strings(in, header) : numbers(in, header);
    }

    /** The arrays of an npz archive by name, in the archive's order. */
    public static Map<String, Tensor> readNpz(Path file) {
        Map<String, Tensor> arrays = new LinkedHashMap<>();
        try (ZipFile listed = new ZipFile(file.toFile());
                ZipInputStream zip = new ZipInputStream(Files.newInputStream(file))) {
            int entries = 0;
            long maxBytes = Math.multiplyExact(MAX_DEFLATION, Files.size(file));
            for (ZipEntry e = zip.getNextEntry(); e != null; e = zip.getNextEntry(), entries++) {
                if (!e.getName().endsWith(".npy")) continue;
                String name = e.getName().substring(0, e.getName().length() - ".npy".length());
                arrays.put(name, read(zip, maxBytes));
            }
            // a stream of entries ends where one has a broken header, too
            require(
                    entries == listed.size(),
                    DATA_LOSS,
                    "npy: it lists %d entries, of which %d can be read",
                    listed.size(),
                    entries);
            return arrays;
        } catch (ZipException e) {
            arrays.values().forEach(Tensor::close);
            throw new OxbowException(
                    INVALID_ARGUMENT, "npz: %s is no whole zip archive: %s".formatted(file, e.getMessage()), e);
        } catch (IOException e) {
            arrays.values().forEach(Tensor::close);
            throw Messages.failed("npz", file, e);
        } catch (OxbowException e) {
            arrays.values().forEach(Tensor::close);
            throw named("npz", file, e);
        }
    }

    private static Tensor numbers(InputStream in, Header header) throws IOException {
        byte[] chunk = new byte[CHUNK];
        Tensor tensor = Tensor.allocate(header.dtype, header.shape);
        try {
            long total = tensor.byteSize();
            for (long at = 0; at < total; ) {
                int wanted = (int) Math.min(CHUNK, total - at);
                int got = in.readNBytes(chunk, 0, wanted);
                require(got == wanted, DATA_LOSS, "npy: %s needs %d bytes, got %d", tensor.describe(), total, at + got);
                MemorySegment.copy(MemorySegment.ofArray(chunk), 0, Memory.ALL, tensor.address() + at, wanted);
                at += wanted;
            }
        } catch (IOException | OxbowException e) {
            tensor.close();
            throw e;
        }
        if (header.bigEndian)
            ByteOrders.swap(
                    tensor.address(), tensor.byteSize(), header.dtype.real().size());
        if (!header.fortranOrder || header.shape.rank() < 2) return tensor;
        Tensor rows = Tensor.allocate(header.dtype, header.shape);
        int width = header.dtype.size();
        long from = tensor.address(), to = rows.address();
        fromColumnMajor(header.shape, (c, r) -> Memory.copy(from + c * width, to + r * width, width));
        tensor.close();
        return rows;
    }

    private static Tensor strings(InputStream in, Header header) throws IOException {
        long size = header.shape.size();
        require(size < Integer.MAX_VALUE, INVALID_ARGUMENT, "npy: at most 2^31 strings are read, got %d", size);
        int count = (int) size;
        Object[] values = new Object[count];
        for (int i = 0; i < count; i++) {
            byte[] raw = in.readNBytes(header.width);
            require(
                    raw.length == header.width,
                    DATA_LOSS,
                    "npy: string %d of %d needs %d bytes, got %d",
                    i,
                    count,
                    header.width,
                    raw.length);
            values[i] = header.unicode ? utf8(raw, header.bigEndian) : withoutTrailingZeros(raw);
        }
        if (header.fortranOrder && header.shape.rank() >= 2) {
            Object[] rows = new Object[count];
            fromColumnMajor(header.shape, (c, r) -> rows[(int) r] = values[(int) c]);
            return Tensor.ofObjects(DType.STRING, header.shape, rows);
        }
        return Tensor.ofObjects(DType.STRING, header.shape, values);
    }

    private interface Move {
        void move(long columnMajor, long rowMajor);
    }

    /** Calls {@code move} with the position of each element in column-major and in row-major order. */
    private static void fromColumnMajor(Shape shape, Move move) {
        long[] dims = shape.dims();
        long[] index = new long[dims.length];
        long size = shape.size();
        for (long i = 0; i < size; i++) {
            long at = 0;
            for (int d = dims.length - 1; d >= 0; d--) at = at * dims[d] + index[d];
            move.move(at, i);
            for (int d = dims.length - 1; d >= 0 && ++index[d] == dims[d]; d--) index[d] = 0;
        }
    }

    private static byte[] utf8(byte[] utf32, boolean bigEndian) {
        ByteBuffer in = ByteBuffer.wrap(utf32).order(bigEndian ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN);
        StringBuilder s = new StringBuilder();
        int end = 0;
        while (in.remaining() >= 4) {
            int c = in.getInt();
            require(Character.isValidCodePoint(c), INVALID_ARGUMENT, "npy: %d is not a character", c);
            s.appendCodePoint(c);
            if (c != 0) end = s.length();
        }
        return s.substring(0, end).getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] withoutTrailingZeros(byte[] raw) {
        int n = raw.length;
        while (n > 0 && raw[n - 1] == 0) n--;
        return Arrays.copyOf(raw, n);
    }

    /** Writes a tensor; quantised types become their integers, bfloat16 two-byte voids as with NumPy's extensions. */
    public static void write(Path file, Tensor tensor) {
        WholeFile.write(file, out -> write(out, tensor));
    }

    /** Writes tensors by name into one npz file. */
    public static void writeNpz(Path file, Map<String, Tensor> tensors) {
        WholeFile.write(file, out -> {
            ZipOutputStream zip = new ZipOutputStream(out);
            for (Map.Entry<String, Tensor> e : tensors.entrySet()) {
                ZipEntry entry = new ZipEntry(e.getKey() + ".npy");
                entry.setTimeLocal(EPOCH); // the same tensors make the same bytes
                zip.putNextEntry(entry);
                write(zip, e.getValue());
                zip.closeEntry();
            }
            zip.finish();
        });
    }

    public static void write(OutputStream out, Tensor tensor) throws IOException {
        tensor.retain();
        try {
            writeHeld(out, tensor);
        } finally {
            tensor.release();
        }
    }

    private static void writeHeld(OutputStream out, Tensor tensor) throws IOException {
        int width = tensor.dtype() == DType.STRING
                ? stringWidth(tensor)
                : tensor.dtype().size();
        out.write(Header.bytes(descr(tensor.dtype(), width), tensor.shape()));
        if (tensor.dtype() == DType.STRING) {
            for (Object o : tensor.objects()) out.write(Arrays.copyOf((byte[]) o, width));
            return;
        }
        byte[] chunk = new byte[CHUNK];
        for (long at = 0; at < tensor.byteSize(); at += CHUNK) {
            int n = (int) Math.min(CHUNK, tensor.byteSize() - at);
            MemorySegment.copy(Memory.ALL, tensor.address() + at, MemorySegment.ofArray(chunk), 0, n);
            out.write(chunk, 0, n);
        }
    }

    private static int stringWidth(Tensor tensor) {
        int width = 1;
        for (Object o : tensor.objects()) {
            byte[] s = (byte[]) o;
            boolean lossless = s.length == 0 || s[s.length - 1] != 0;
            require(lossless, INVALID_ARGUMENT, "npy: a string of %d bytes ends in a zero, which is lost", s.length);
            width = Math.max(width, s.length);
        }
        return width;
    }

    private static String descr(DType dtype, int width) {
        return switch (dtype) {
            case F64, F32, F16 -> "<f" + width;
            case BF16 -> "<V2";
            case I64, I32, I16, QI32, QI16 -> "<i" + width;
            case U64, U32, U16, QU16 -> "<u" + width;
            case I8, QI8 -> "|i1";
            case U8, QU8 -> "|u1";
            case BOOL -> "|b1";
            case C64, C128 -> "<c" + width;
            case STRING -> "|S" + width;
            case RESOURCE, VARIANT ->
                throw new OxbowException(INVALID_ARGUMENT, "npy: " + dtype + " elements cannot be written");
        };
    }

    /** What stands before the elements. */
    private record Header(
            DType dtype, boolean unicode, int width, boolean bigEndian, boolean fortranOrder, Shape shape) {

        static Header read(InputStream in) throws IOException {
            byte[] start = in.readNBytes(8);
            boolean magic = start.length == 8 && Arrays.equals(start, 0, 6, MAGIC, 0, 6);
            require(magic, INVALID_ARGUMENT, "npy: no magic number in %d bytes at the start", start.length);
            int version = start[6];
            require(version >= 1 && version <= 3, INVALID_ARGUMENT, "npy: version must be 1 to 3, got %d", version);
            byte[] length = in.readNBytes(version == 1 ? 2 : 4);
            require(length.length >= 2, DATA_LOSS, "npy: the header length is cut off");
            long n = 0;
            for (int i = length.length - 1; i >= 0; i--) n = n << 8 | length[i] & 0xff;
            require(n <= MAX_HEADER, INVALID_ARGUMENT, "npy: a header has at most %d bytes, got %d", MAX_HEADER, n);
            byte[] text = in.readNBytes((int) n);
            require(text.length == n, DATA_LOSS, "npy: the header has %d bytes, got %d", n, text.length);
            return parse(new String(text, StandardCharsets.UTF_8).strip());
        }

        private static Header parse(String text) {
            Matcher descr = find(DESCR, "a plain 'descr'", text);
            Matcher order = find(ORDER, "'fortran_order'", text);
            Matcher dims = find(SHAPE, "'shape'", text);
            long size = number(descr.group(3).isEmpty() ? "1" : descr.group(3), text);
            char kind = descr.group(2).charAt(0);
            DType dtype = dtype(kind, size, text);
            return new Header(
                    dtype,
                    kind == 'U',
                    (int) (kind == 'U' ? 4 * size : size),
                    descr.group(1).equals(">"),
                    order.group(1).equals("True"),
                    shape(dims.group(1), text));
        }

        private static Matcher find(Pattern pattern, String what, String text) {
            Matcher m = pattern.matcher(text);
            require(m.find(), INVALID_ARGUMENT, "npy: the header has no %s: %s", what, text);
            return m;
        }

        private static Long number(String digits, String text) {
            require(digits.length() <= 18, INVALID_ARGUMENT, "npy: the number %s is too large: %s", digits, text);
            return Long.valueOf(digits);
        }

        private static Shape shape(String dims, String text) {
            String list = dims.replace("L", "").replaceAll("\\s", "");
            if (list.isEmpty()) return Shape.SCALAR;
            String[] parts = list.split(",");
            require(
                    parts.length <= TensorCodec.MAX_RANK,
                    INVALID_ARGUMENT,
                    "npy: rank must be at most %d, got %d",
                    TensorCodec.MAX_RANK,
                    parts.length);
            long[] d = new long[parts.length];
            for (int i = 0; i < d.length; i++) {
                require(!parts[i].isEmpty(), INVALID_ARGUMENT, "npy: a dimension is missing: %s", text);
                d[i] = number(parts[i], text);
            }
            Shape shape = Shape.of(d);
            shape.size();
            return shape;
        }

        private static DType dtype(char kind, long size, String text) {
            if (kind == 'S' || kind == 'a' || kind == 'U') {
                require(size <= 1 << 28, INVALID_ARGUMENT, "npy: strings have at most 2^28 characters, got %d", size);
                return DType.STRING;
            }
            return switch (kind + "" + size) {
                case "f2" -> DType.F16;
                case "f4" -> DType.F32;
                case "f8" -> DType.F64;
                case "i1" -> DType.I8;
                case "i2" -> DType.I16;
                case "i4" -> DType.I32;
                case "i8" -> DType.I64;
                case "u1" -> DType.U8;
                case "u2" -> DType.U16;
                case "u4" -> DType.U32;
                case "u8" -> DType.U64;
                case "c8" -> DType.C64;
                case "c16" -> DType.C128;
                case "b1", "?1" -> DType.BOOL;
                case "V2" -> DType.BF16;
                default ->
                    throw new OxbowException(
                            INVALID_ARGUMENT, "npy: no dtype for '" + kind + size + "' in the header " + text);
            };
        }

        /** Magic, version and dictionary, padded so that the elements start at a multiple of 64. */
        static byte[] bytes(String descr, Shape shape) {
            StringBuilder dims = new StringBuilder();
            for (long d : shape.dims()) dims.append(d).append(shape.rank() == 1 ? "," : ", ");
            if (shape.rank() > 1) dims.setLength(dims.length() - 2);
            String text = "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }".formatted(descr, dims);
            int total = (10 + text.length() + 1 + 63) / 64 * 64;
            ByteBuffer out = ByteBuffer.allocate(total).order(ByteOrder.LITTLE_ENDIAN);
            out.put(MAGIC).put((byte) 1).put((byte) 0).putShort((short) (total - 10));
            out.put(text.getBytes(StandardCharsets.US_ASCII));
            while (out.remaining() > 1) out.put((byte) ' ');
            return out.put((byte) '\n').array();
        }
    }
}
