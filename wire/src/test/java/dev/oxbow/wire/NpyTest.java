package dev.oxbow.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

final class NpyTest {

    @ParameterizedTest
    @EnumSource(
            value = DType.class,
            mode = EnumSource.Mode.EXCLUDE,
            names = {"RESOURCE", "VARIANT"})
    void everyTypeSurvivesTheRoundTrip(DType dtype) throws IOException {
        for (Shape shape : TensorCodecTest.SHAPES) {
            try (Tensor t = TensorCodecTest.random(dtype, shape)) {
                var out = new ByteArrayOutputStream();
                Npy.write(out, t);
                try (Tensor back = Npy.read(out.toByteArray())) {
                    assertEquals(dtype.storage(), back.dtype());
                    assertEquals(shape, back.shape());
                    if (dtype == DType.STRING) assertEquals(t.strings(), back.strings());
                    else assertArrayEquals(t.bytes(), back.bytes());
                }
            }
        }
    }

    @Test
    void theHeaderIsPaddedAsNumPyDoes() throws IOException {
        var out = new ByteArrayOutputStream();
        try (Tensor t = Tensor.of(Shape.of(2), 1f, 2f)) {
            Npy.write(out, t);
        }
        byte[] bytes = out.toByteArray();
        assertEquals(128 + 8, bytes.length);
        String header = new String(bytes, 10, 118, StandardCharsets.US_ASCII);
        assertEquals("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", header.strip());
        assertEquals('\n', header.charAt(117));
    }

    @ParameterizedTest
    @CsvSource({"1", "2", "3"})
    void columnsFirstBecomesRowsFirst(int version) {
        byte[] data = {1, 4, 2, 5, 3, 6};
        try (Tensor t = Npy.read(npy(version, "{'descr': '|i1', 'fortran_order': True, 'shape': (2, 3)}", data))) {
            assertArrayEquals(new byte[] {1, 2, 3, 4, 5, 6}, t.bytes());
        }
    }

    @Test
    void bigEndianNumbersAreTurnedAround() {
        byte[] data = ByteBuffer.allocate(16)
                .putFloat(1)
                .putFloat(2)
                .putFloat(3)
                .putFloat(-4)
                .array();
        try (Tensor t = Npy.read(npy(1, "{'descr': '>c8', 'fortran_order': False, 'shape': (2,)}", data))) {
            assertEquals(DType.C64, t.dtype());
            assertArrayEquals(new float[] {1, 2, 3, -4}, t.segment().toArray(Memory.FLOAT));
        }
    }

    @Test
    void unicodeBecomesUtf8() {
        ByteBuffer data = ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN);
        data.putInt('é').putInt(0x1f600).putInt('b').putInt(0);
        try (Tensor t = Npy.read(npy(1, "{'descr': '<U2', 'fortran_order': False, 'shape': (2,)}", data.array()))) {
            assertEquals(List.of("é😀", "b"), t.strings());
        }
    }

    @Test
    void anArchiveGivesItsArraysByName(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("a.npz");
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(file));
                Tensor a = Tensor.of(Shape.of(2), 1, 2);
                Tensor b = Tensor.scalar(3.5)) {
            zip.putNextEntry(new ZipEntry("a.npy"));
            Npy.write(zip, a);
            zip.putNextEntry(new ZipEntry("b.npy"));
            Npy.write(zip, b);
        }
        var arrays = Npy.readNpz(file);
        assertEquals("{a=i32[2] [1, 2], b=f64[] 3.5}", arrays.toString());
        assertArrayEquals(new double[] {3.5}, arrays.get("b").doubles());
        arrays.values().forEach(Tensor::close);
    }

    @Test
    void badFilesAreRefused() {
        fails(
                "<f4",
                "(1000000000000,)",
                ErrorCode.INVALID_ARGUMENT,
                "npy: f32[1000000000000] is larger than the limit or the file, 85 bytes");
        fails(
                "<f4",
                "(99999999999, 99999999999)",
                ErrorCode.INVALID_ARGUMENT,
                "Shape: [99999999999,99999999999] has more than 2^63 elements");
        fails("<f4", "(9,)", ErrorCode.DATA_LOSS, "npy: f32[9] needs 36 bytes, got 8");
        fails(
                "|O",
                "(1,)",
                ErrorCode.INVALID_ARGUMENT,
                "npy: no dtype for 'O1' in the header {'descr': '|O', 'fortran_order': False, 'shape': (1,)}");
        fails(
                "<f4",
                "(" + "1,".repeat(255) + ")",
                ErrorCode.INVALID_ARGUMENT,
                "npy: rank must be at most 254, got 255");
        fails(
                "<U4294967300",
                "(1,)",
                ErrorCode.INVALID_ARGUMENT,
                "npy: strings have at most 2^28 characters, got 4294967300");
        var e = assertThrows(OxbowException.class, () -> Npy.read(new byte[] {1, 2}));
        assertEquals("npy: no magic number in 2 bytes at the start", e.getMessage());
    }

    private static void fails(String descr, String shape, ErrorCode code, String message) {
        String header = "{'descr': '%s', 'fortran_order': False, 'shape': %s}".formatted(descr, shape);
        var e = assertThrows(OxbowException.class, () -> Npy.read(npy(1, header, new byte[8])));
        assertEquals(message, e.getMessage());
        assertEquals(code, e.code());
    }

    static byte[] npy(int version, String header, byte[] data) {
        ByteBuffer out = ByteBuffer.allocate(12 + header.length() + data.length).order(ByteOrder.LITTLE_ENDIAN);
        out.put(new byte[] {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y', (byte) version, 0});
        if (version == 1) out.putShort((short) header.length());
        else out.putInt(header.length());
        out.put(header.getBytes(StandardCharsets.UTF_8)).put(data);
        return Arrays.copyOf(out.array(), out.position());
    }
}
