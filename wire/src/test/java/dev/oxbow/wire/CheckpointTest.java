package dev.oxbow.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.proto.BundleEntryProto;
import dev.oxbow.wire.proto.VariantTensorDataProto;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class CheckpointTest {
    private static final String DATA = ".data-00000-of-00001";
    private static final String LONG_NAME = "a/rather/long/name/so/that/the/index/takes/more/than/one/block/%d";

    @TempDir
    Path directory;

    @Test
    void valuesThatTensorFlowSavedAreRead() {
        try (CheckpointReader reader = CheckpointReader.open(Fixtures.file("all"))) {
            for (String name : reader.names()) {
                if (!name.startsWith("t/")) continue;
                assertEquals(DType.ofName(name.substring(2)), reader.dtype(name));
                assertEquals(Shape.of(1, 3), reader.shape(name));
                try (Tensor t = reader.read(name)) {
                    if (t.dtype().isComplex()) continue;
                    for (int i = 0; i < 3; i++) assertEquals(1 - i % 2, t.getDouble(i), name);
                }
            }
            assertEquals(Shape.of(0, 3), reader.read("empty").shape());
            assertEquals(Shape.of(0), reader.read("noStrings").shape());
            assertArrayEquals(new float[] {3.5f}, reader.read("näme").floats());
            Object[] strings = reader.read("strings").objects();
            List<Integer> lengths =
                    Arrays.stream(strings).map(s -> ((byte[]) s).length).toList();
            assertEquals(List.of(0, 1, 200, 3), lengths);
            assertArrayEquals(new byte[] {-1, 0, 'z'}, (byte[]) strings[3]);
            assertTrue(reader.contains("t/bool") && !reader.contains("t/nothing") && !reader.contains(""));
        }
    }

    @Test
    void slicesAreReadTogetherAndAcrossTheirBorders() {
        try (CheckpointReader reader = CheckpointReader.open(Fixtures.file("all"))) {
            List<String> slices =
                    reader.slices("parts").stream().map(TensorSlice::toString).toList();
            assertEquals(List.of("0,2:-", "2,2:0,66", "2,2:66,4"), slices);
            assertArrayEquals(
                    IntStream.range(0, 280).toArray(), reader.read("parts").ints());
            int[] corner = reader.read("parts", TensorSlice.parse("1,2:65,2")).ints();
            assertArrayEquals(new int[] {135, 136, 205, 206}, corner);
            assertArrayEquals(
                    new int[] {210, 211},
                    reader.read("parts", TensorSlice.parse("3,1:0,2")).ints());
        }
    }

    @Test
    void aMergedCheckpointIsReadFromItsShards() {
        try (CheckpointReader reader = CheckpointReader.open(Fixtures.file("merged"))) {
            assertEquals(List.of("only0", "only1", "parts"), reader.names());
            assertArrayEquals(new int[] {1}, reader.read("only1").ints());
            assertArrayEquals(
                    IntStream.range(0, 12).toArray(), reader.read("parts").ints());
        }
    }

    @Test
    void variantsAreMessages() {
        try (CheckpointReader reader = CheckpointReader.open(Fixtures.file("variant"))) {
            var list = (VariantTensorDataProto) reader.read("list").objects()[0];
            assertEquals("tensorflow::TensorList", list.getTypeName());
            assertEquals(List.of(1f, 2f), list.getTensors(0).getFloatValList());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"all", "variant", "half0"})
    void writtenFilesAreThoseThatTensorFlowWrites(String fixture) throws IOException {
        Path copy = directory.resolve("sub").resolve("copy");
        try (CheckpointReader reader = CheckpointReader.open(Fixtures.file(fixture));
                CheckpointWriter writer = new CheckpointWriter(copy)) {
            record Part(BundleEntryProto entry, String name, TensorSlice slice) {}
            List<Part> parts = new ArrayList<>();
            for (String name : reader.names()) {
                if (reader.slices(name).isEmpty()) {
                    TensorSlice all = TensorSlice.full(reader.shape(name).rank());
                    parts.add(new Part(reader.entries().get(CheckpointReader.key(name)), name, all));
                }
                for (TensorSlice s : reader.slices(name)) {
                    parts.add(new Part(reader.entries().get(OrderedCode.sliceKey(name, s)), name, s));
                }
            }
            Comparator<Part> byOffset = Comparator.comparingLong(p -> p.entry.getOffset());
            parts.sort(byOffset.thenComparingLong(p -> p.entry.getSize()));
            for (Part p : parts) {
                writer.add(p.name, new TensorSlice.Spec(reader.shape(p.name), p.slice), reader.read(p.name, p.slice));
            }
            writer.finish();
        }
        assertArrayEquals(Fixtures.bytes(fixture + DATA), Files.readAllBytes(directory.resolve("sub/copy" + DATA)));
        assertArrayEquals(Fixtures.bytes(fixture + ".index"), Files.readAllBytes(directory.resolve("sub/copy.index")));
    }

    @Test
    void manyTensorsFillSeveralBlocks() {
        Path prefix = directory.resolve("many");
        try (CheckpointWriter writer = new CheckpointWriter(prefix)) {
            for (int i = 0; i < 6000; i++) {
                try (Tensor t = Tensor.scalar(i)) {
                    writer.add(LONG_NAME.formatted(i * 7919L), t);
                }
            }
            writer.finish();
        }
        try (CheckpointReader reader = CheckpointReader.open(prefix)) {
            assertEquals(6000, reader.names().size());
            for (int i = 0; i < 6000; i += 100) {
                try (Tensor t = reader.read(LONG_NAME.formatted(i * 7919L))) {
                    assertEquals(i, t.ints()[0]);
                }
            }
        }
    }

    @Test
    void mergingGivesWhatTensorFlowsMergeGave() throws IOException {
        for (String half : List.of("half0", "half1")) {
            Files.createDirectories(directory.resolve(half));
            for (String end : List.of(DATA, ".index")) {
                Files.copy(Fixtures.file(half + end), directory.resolve(half).resolve("m" + end));
            }
        }
        Path merged = directory.resolve("merged");
        CheckpointWriter.merge(List.of(directory.resolve("half0/m"), directory.resolve("half1/m")), merged, true);
        assertEquals(
                List.of("merged.data-00000-of-00002", "merged.data-00001-of-00002", "merged.index"), files(directory));
        for (String name : files(directory)) {
            assertArrayEquals(Fixtures.bytes(name), Files.readAllBytes(directory.resolve(name)), name);
        }
    }

    @Test
    void mergingTheSameTensorTwiceFailsAndMovesNothing() throws IOException {
        for (String p : List.of("a", "b")) {
            try (CheckpointWriter writer = new CheckpointWriter(directory.resolve(p));
                    Tensor t = Tensor.scalar(1)) {
                writer.add("x", t);
                writer.finish();
            }
        }
        List<Path> prefixes = List.of(directory.resolve("a"), directory.resolve("b"));
        Path to = directory.resolve("c");
        var e = assertThrows(OxbowException.class, () -> CheckpointWriter.merge(prefixes, to, true));
        assertEquals("checkpoint %s: tensor x is added twice".formatted(directory.resolve("b")), e.getMessage());
        assertEquals(4, files(directory).size());
    }

    @Test
    void mergingNothingIsInvalid() {
        List<Path> none = List.of(directory.resolve("none"));
        Path to = directory.resolve("to");
        assertEquals(ErrorCode.INVALID_ARGUMENT, code(() -> CheckpointWriter.merge(none, to, false)));
        assertEquals(ErrorCode.INVALID_ARGUMENT, code(() -> CheckpointWriter.merge(none, to, false, true)));
    }

    @Test
    void anUnfinishedCheckpointLeavesNothing() throws IOException {
        try (CheckpointWriter writer = new CheckpointWriter(directory.resolve("x"));
                Tensor t = Tensor.scalar(1f)) {
            writer.add("x", t);
            assertFalse(Files.exists(directory.resolve("x" + DATA)));
        }
        assertEquals(List.of(), files(directory));
    }

    private void save(Path prefix, float value) {
        try (CheckpointWriter w = new CheckpointWriter(prefix)) {
            w.add("v", Tensor.of(Shape.of(2), value, value));
            w.finish();
        }
    }

    /** A save that fails between its renames, as one does whose process is killed there, leaves no index of other data. */
    @Test
    void anIndexNeverStaysBesideDataThatIsNotItsOwn() throws IOException {
        Path prefix = directory.resolve("model");
        save(prefix, 1);
        Path data = directory.resolve("model" + DATA);
        Files.delete(data);
        Files.createDirectories(data.resolve("in the way"));
        assertThrows(OxbowException.class, () -> save(prefix, 2));
        assertEquals(
                List.of("model" + DATA),
                Arrays.stream(directory.toFile().list()).sorted().toList());
        Files.delete(data.resolve("in the way"));
        Files.delete(data);
        save(prefix, 3);
        try (CheckpointReader r = CheckpointReader.open(prefix)) {
            assertArrayEquals(new float[] {3, 3}, r.read("v").floats());
        }
    }

    @Test
    void whoReadsWhileACheckpointIsWrittenAnewIsToldSo() {
        Path prefix = directory.resolve("model");
        save(prefix, 1);
        try (CheckpointReader before = CheckpointReader.open(prefix)) {
            save(prefix, 2);
            var e = assertThrows(OxbowException.class, () -> before.read("v"));
            assertEquals(ErrorCode.ABORTED, e.code());
            assertEquals("checkpoint " + prefix + ": it was written anew or removed while it was read", e.getMessage());
        }
        try (CheckpointReader begun = CheckpointReader.open(prefix)) {
            begun.read("v").close();
            save(prefix, 3);
            assertArrayEquals(new float[] {2, 2}, begun.read("v").floats());
        }
    }

    @Test
    void aSliceMustHaveTheShapeItSays() {
        try (CheckpointWriter writer = new CheckpointWriter(directory.resolve("x"));
                Tensor t = Tensor.of(Shape.of(2), 1f, 2f)) {
            var spec = TensorSlice.parseSpec("4 0,3");
            assertEquals(ErrorCode.INVALID_ARGUMENT, code(() -> writer.add("x", spec, t)));
            writer.add("x", TensorSlice.parseSpec("4 0,2"), t);
            assertEquals(ErrorCode.INVALID_ARGUMENT, code(() -> writer.add("x", TensorSlice.parseSpec("5 2,2"), t)));
            writer.finish();
        }
        try (CheckpointReader reader = CheckpointReader.open(directory.resolve("x"))) {
            assertArrayEquals(
                    new float[] {1, 2},
                    reader.read("x", TensorSlice.parse("0,2")).floats());
            var e = assertThrows(OxbowException.class, () -> reader.read("x"));
            assertEquals(
                    "checkpoint %s: the slices of partitioned tensor x hold 2 of the 4 elements of -"
                            .formatted(directory.resolve("x")),
                    e.getMessage());
        }
    }

    @Test
    void aMissingTensorOrFileIsNotFound() {
        assertEquals(ErrorCode.NOT_FOUND, code(() -> CheckpointReader.open(directory.resolve("none"))));
        try (CheckpointReader reader = CheckpointReader.open(Fixtures.file("all"))) {
            assertEquals(ErrorCode.NOT_FOUND, code(() -> reader.read("none")));
        }
    }

    @Test
    void everyChangedByteIsNoticed() throws IOException {
        byte[] index = Fixtures.bytes("half0.index"), data = Fixtures.bytes("half0" + DATA);
        Path prefix = directory.resolve("x");
        for (int i = 0; i < data.length; i++) {
            write(prefix, index, flipped(data, i));
            assertEquals(ErrorCode.DATA_LOSS, code(() -> readAll(prefix)), "data byte " + i);
        }
        int unused = 0;
        for (int i = 0; i < index.length; i++) {
            write(prefix, flipped(index, i), data);
            try {
                readAll(prefix);
                unused++;
            } catch (OxbowException e) {
                assertEquals(ErrorCode.DATA_LOSS, e.code(), "index byte " + i);
            }
        }
        // The metaindex block (8 bytes and a trailer of 5), its place (2 or 3 bytes) and the footer's padding.
        assertTrue(unused <= 13 + 40, "unused " + unused);
    }

    @Test
    void aSnappyBlockIsUnimplemented() throws IOException {
        TreeMap<String, byte[]> entries = new TreeMap<>();
        entries.put("", new byte[0]);
        byte[] table = SortedTable.write(entries);
        int end = 3 + 8; // one entry of three lengths, one restart and the count of restarts
        table[end] = 1;
        int crc = Checksum.masked(ByteBuffer.wrap(table, 0, end + 1));
        ByteBuffer.wrap(table).order(ByteOrder.LITTLE_ENDIAN).putInt(end + 1, crc);
        write(directory.resolve("x"), table, new byte[0]);
        assertEquals(ErrorCode.UNIMPLEMENTED, code(() -> CheckpointReader.open(directory.resolve("x"))));
    }

    @Test
    void specsOfSlicesAreChecked() {
        List<String> rank = List.of("", "4", "4 0,2:0,2"), range = List.of("4 0,5", "4 1,0", "4 1,9223372036854775807");
        List<String> numbers = List.of("4 -1,2", "4 x", "-4 -", "a -", "4 0");
        for (String bad : Stream.of(rank, range, numbers).flatMap(List::stream).toList()) {
            assertEquals(ErrorCode.INVALID_ARGUMENT, code(() -> TensorSlice.parseSpec(bad)), bad);
        }
        assertEquals(Shape.of(4, 8), TensorSlice.parseSpec("4 16 -:3,8").shape());
    }

    static void readAll(Path prefix) {
        try (CheckpointReader reader = CheckpointReader.open(prefix)) {
            for (String name : reader.names()) {
                if (reader.slices(name).isEmpty()) reader.read(name).close();
                for (TensorSlice slice : reader.slices(name))
                    reader.read(name, slice).close();
            }
        }
    }

    static void write(Path prefix, byte[] index, byte[] data) throws IOException {
        Files.write(prefix.resolveSibling(prefix.getFileName() + ".index"), index);
        Files.write(prefix.resolveSibling(prefix.getFileName() + DATA), data);
    }

    private static byte[] flipped(byte[] bytes, int i) {
        byte[] copy = bytes.clone();
        copy[i] ^= 0x10;
        return copy;
    }

    private static ErrorCode code(Runnable action) {
        return assertThrows(OxbowException.class, action::run).code();
    }

    private static List<String> files(Path directory) throws IOException {
        try (var files = Files.list(directory)) {
            return files.map(p -> p.getFileName().toString()).sorted().toList();
        }
    }
}
