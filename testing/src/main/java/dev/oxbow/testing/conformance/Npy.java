package dev.oxbow.testing.conformance;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads little-endian, row-major .npy files. */
final class Npy {
    private static final Pattern HEADER = Pattern.compile(
            "\\{'descr': '([<|][a-z][0-9]+)', 'fortran_order': False, 'shape': \\(([0-9, ]*)\\), \\}\\s*");

    private Npy() {}

    static Tensor read(byte[] file) {
        require(
                file.length > 12 && new String(file, 0, 6, StandardCharsets.ISO_8859_1).equals("\u0093NUMPY"),
                INVALID_ARGUMENT,
                "npy: no NUMPY at the start of %d bytes",
                file.length);
        ByteBuffer bytes = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
        int start = file[6] == 1 ? 10 : 12;
        int length = file[6] == 1 ? bytes.getShort(8) & 0xffff : bytes.getInt(8);
        require(
                length >= 0 && length <= file.length - start,
                INVALID_ARGUMENT,
                "npy: a header of %d bytes in a file of %d",
                length,
                file.length);
        String header = new String(file, start, length, StandardCharsets.ISO_8859_1);
        Matcher m = HEADER.matcher(header);
        require(m.matches(), INVALID_ARGUMENT, "npy: header not understood: %s", header);
        long[] dims = Arrays.stream(m.group(2).split("[, ]+"))
                .filter(s -> !s.isEmpty())
                .mapToLong(Long::parseLong)
                .toArray();
        return Tensor.ofBytes(dtype(m.group(1).substring(1)), Shape.of(dims), bytes.position(start + length));
    }

    private static DType dtype(String name) {
        return switch (name) {
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
            case "b1" -> DType.BOOL;
            case "c8" -> DType.C64;
            case "c16" -> DType.C128;
            default -> throw new OxbowException(INVALID_ARGUMENT, "npy: no dtype " + name);
        };
    }
}
