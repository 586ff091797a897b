package dev.oxbow.data;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class IdxTest {
    @TempDir
    private Path folder;

    private static byte[] bytes(int magic, int[] dims, byte... content) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        DataOutputStream data = new DataOutputStream(out);
        data.writeInt(magic);
        for (int d : dims) data.writeInt(d);
        data.write(content);
        return out.toByteArray();
    }

    private Path file(byte[] content) throws IOException {
        return Files.write(folder.resolve("file"), content);
    }

    @Test
    void bytesAreReadPlainAndZipped() throws IOException {
        byte[] plain = bytes(0x0802, new int[] {2, 3}, (byte) 1, (byte) 2, (byte) 3, (byte) 4, (byte) 5, (byte) 255);
        ByteArrayOutputStream zipped = new ByteArrayOutputStream();
        try (GZIPOutputStream zip = new GZIPOutputStream(zipped)) {
            zip.write(plain);
        }
        for (byte[] content : new byte[][] {plain, zipped.toByteArray()})
            try (Tensor t = Idx.read(file(content))) {
                assertEquals(DType.U8, t.dtype());
                assertEquals(Shape.of(2, 3), t.shape());
                assertArrayEquals(new byte[] {1, 2, 3, 4, 5, -1}, t.bytes());
            }
    }

    @Test
    void widerNumbersAreBigEndian() throws IOException {
        try (Tensor t = Idx.read(file(bytes(0x0c01, new int[] {1}, (byte) 0, (byte) 0, (byte) 1, (byte) 2)))) {
            assertArrayEquals(new int[] {258}, t.ints());
        }
    }

    @Test
    void whatIsTornOrForeignIsNamed() throws IOException {
        Path torn = file(bytes(0x0801, new int[] {3}, (byte) 1));
        OxbowException e = assertThrows(OxbowException.class, () -> Idx.read(torn));
        assertEquals(ErrorCode.DATA_LOSS, e.code());
        assertEquals("idx: " + torn + " ends before its elements do", e.getMessage());
        Path huge = file(bytes(0x0803, new int[] {-1, -1, 1}));
        assertEquals(
                ErrorCode.DATA_LOSS,
                assertThrows(OxbowException.class, () -> Idx.read(huge)).code());
        Path foreign = file("hello, world".getBytes());
        e = assertThrows(OxbowException.class, () -> Idx.read(foreign));
        assertEquals("idx: " + foreign + " begins with 68656c6c, no magic number", e.getMessage());
    }

    @Test
    void filesWithAnotherSumAreNotKept() throws IOException {
        DataSet set = new DataSet("tiny", "nowhere", Map.of("a", "0cc175b9c0f1b6a831c399e269772661"));
        DataFolder kept = new DataFolder(folder.resolve("kept"));
        Path from = Files.createDirectory(folder.resolve("from"));
        Files.writeString(from.resolve("a"), "b");
        OxbowException e = assertThrows(OxbowException.class, () -> kept.fetch(set, from));
        assertEquals(ErrorCode.DATA_LOSS, e.code());
        assertEquals(
                ErrorCode.NOT_FOUND,
                assertThrows(OxbowException.class, () -> kept.file(set, "a")).code());
        Files.writeString(from.resolve("a"), "a"); // MD5 of "a" is that of RFC 1321
        assertEquals(1, kept.fetch(set, from.resolve("a")).size());
        assertEquals("a", Files.readString(kept.file(set, "a")));
    }
}
