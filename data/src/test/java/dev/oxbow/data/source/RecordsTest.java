package dev.oxbow.data.source;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.data.pipeline.Feed;
import dev.oxbow.data.pipeline.Pipeline;
import dev.oxbow.data.pipeline.Sample;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.wire.RecordFrame;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files of records, against what TensorFlow wrote and what is known of small files. */
@Timeout(300)
final class RecordsTest {
    private static final String ANSWERS = "src/test/answers/";

    @TempDir
    private Path folder;

    private static <T> List<T> all(Pipeline<T> p) {
        return rest(p.open());
    }

    private static <T> List<T> rest(Feed<T> feed) {
        List<T> all = new ArrayList<>();
        try (feed) {
            feed.forEachRemaining(all::add);
        }
        return all;
    }

    private String file(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text).toString();
    }

    @ParameterizedTest
    @ValueSource(strings = {"ten.tfrecord", "ten.tfrecord.gz"})
    void examplesThatTensorFlowWroteAreRead(String name) {
        ExampleFormat format = ExampleFormat.of()
                .with("id", DType.I64)
                .with("numbers", DType.F32, 3)
                .with("words", DType.STRING, -1)
                .with("signs", DType.I64, 2, 1)
                .with(new ExampleFormat.Field("none", DType.F32, Shape.of(2), true));
        List<Sample> samples = all(TfRecords.of(ANSWERS + name).map(format::parse));
        assertEquals(10, samples.size());
        for (int i = 0; i < 10; i++) {
            Sample s = samples.get(i);
            assertEquals(i, s.get(0).getLong(0));
            assertArrayEquals(new float[] {i, i + 0.25f, i + 0.5f}, s.get(1).floats());
            assertEquals(List.of("w0", "w1", "w2").subList(0, i % 4), s.get(2).strings());
            assertArrayEquals(new long[] {-i, (long) i << 40}, s.get(3).longs());
            assertArrayEquals(new float[2], s.get(4).floats());
        }
    }

    @Test
    void whatIsWrittenIsReadAgainFromTheMiddleOn() {
        List<byte[]> records = new ArrayList<>();
        for (int i = 0; i < 50; i++) records.add(new byte[i * i]);
        Path file = folder.resolve("some.tfrecord");
        TfRecords.write(file, records);
        List<Record> read = rest(TfRecords.of(file.toString()).epoch(0, 20));
        assertEquals(30, read.size());
        for (int i = 0; i < 30; i++)
            assertEquals((i + 20) * (i + 20), read.get(i).bytes().length);
    }

    /** {@code sequences.tfrecord} is TensorFlow's: i + 1 steps in record i, each with a word, two numbers and a name. */
    @Test
    void sequenceExamplesHaveAContextAndLists() {
        SequenceFormat format = SequenceFormat.of(ExampleFormat.of().with("class", DType.I64))
                .with("words", DType.I64)
                .with("places", DType.F32, 2)
                .with("names", DType.STRING)
                .with(new ExampleFormat.Field("nothing", DType.F32, Shape.of(3), true));
        Pipeline<Record> records = TfRecords.of("src/test/answers/sequences.tfrecord");
        List<Sample> all = all(records.map("parse", 0, format));
        assertEquals(4, all.size());
        Sample third = all.get(2);
        assertEquals(2, third.get(0).getLong(0));
        assertArrayEquals(new long[] {20, 21, 22}, third.get(1).longs());
        assertEquals(Shape.of(3, 2), third.get(2).shape());
        assertArrayEquals(
                new float[] {0.5f, 0, 1.5f, -1, 2.5f, -2}, third.get(2).floats());
        assertEquals(List.of("n0", "n1", "n2"), third.get(3).strings());
        assertEquals(Shape.of(0, 3), third.get(4).shape());
        all.forEach(Sample::close);
        OxbowException e = assertThrows(
                OxbowException.class,
                () -> all(records.map(
                        "parse", 0, SequenceFormat.of(ExampleFormat.of()).with("places", DType.F32, 3))));
        assertEquals(
                "parse of element 0 of epoch 0: src/test/answers/sequences.tfrecord at byte 0: step 0 of list 'places'"
                        + " has 2 values, wanted is [3]",
                e.text());
    }

    @Test
    void aWrongChecksumNamesFileAndPlaceAndCanBeSkipped() throws IOException {
        Path file = folder.resolve("bad.tfrecord");
        TfRecords.write(file, List.of(new byte[10], new byte[20], new byte[30]));
        byte[] bytes = Files.readAllBytes(file);
        bytes[26 + 12 + 5] ^= 1; // in the content of the second
        Files.write(file, bytes);
        OxbowException e = assertThrows(OxbowException.class, () -> all(TfRecords.of(file.toString())));
        assertEquals(ErrorCode.DATA_LOSS, e.code());
        assertEquals(
                file + " at byte 26: a record of 20 bytes has checksum ",
                e.getMessage().replaceAll("checksum .*", "checksum "));
        List<RuntimeException> bad = new ArrayList<>();
        assertEquals(2, all(TfRecords.of(file.toString()).skipBad(bad::add)).size());
        assertEquals(1, bad.size());
    }

    @Test
    void aFileThatCanNotBeCutFurtherIsOneErrorAndTheNextFollows() throws IOException {
        Path a = folder.resolve("a.tfrecord"), b = folder.resolve("b.tfrecord");
        TfRecords.write(a, List.of(new byte[10], new byte[20]));
        TfRecords.write(b, List.of(new byte[3]));
        byte[] bytes = Files.readAllBytes(a);
        Files.write(a, Arrays.copyOf(bytes, bytes.length - 1));
        List<RuntimeException> bad = new ArrayList<>();
        List<Record> good = all(TfRecords.of(folder + "/*.tfrecord").skipBad(bad::add));
        assertEquals(List.of(10, 3), good.stream().map(r -> r.bytes().length).toList());
        assertEquals(
                a + " at byte 26: the file ends after 23 of 24 bytes of a record",
                bad.getFirst().getMessage());
    }

    @Test
    void linesEndWithOrWithoutACarriageReturn() throws IOException {
        String file = file("x.txt", "one\r\ntwo\n\nfour");
        assertEquals(List.of("one", "two", "", "four"), all(Lines.of(file).map(Record::text)));
        assertEquals(List.of(0L, 5L, 9L, 10L), all(Lines.of(file).map(Record::offset)));
    }

    @Test
    void longLinesGoThroughChunks() throws IOException {
        String line = "x".repeat(200_000);
        String file = file("x.txt", "a\n" + line + "\nb\n");
        assertEquals(List.of("a", line, "b"), all(Lines.of(file).map(Record::text)));
    }

    @Test
    void gzippedTextIsReadAsPlainText() throws IOException {
        ByteArrayOutputStream zipped = new ByteArrayOutputStream();
        try (OutputStream out = new GZIPOutputStream(zipped)) {
            out.write("a\nb\n".getBytes(StandardCharsets.UTF_8));
        }
        Path file = Files.write(folder.resolve("x.gz"), zipped.toByteArray());
        assertEquals(List.of("a", "b"), all(Lines.of(file.toString()).map(Record::text)));
    }

    @Test
    void quotedFieldsHoldDelimitersQuotesAndLineEnds() throws IOException {
        String file = file("x.csv", "name,n,x\n\"a,\"\"b\"\"\nc\",-7, 2.5\nd,8,1e3\n");
        List<Sample> rows = all(Csv.of(3)
                .withHeader()
                .with(DType.STRING, 0, 1)
                .with(DType.I64, 1, 1)
                .with(DType.F32, 2, 1)
                .read(file));
        assertEquals(List.of("a,\"b\"\nc"), rows.get(0).get(0).strings());
        assertEquals(-7, rows.get(0).get(1).getLong(0));
        assertEquals(2.5, rows.get(0).get(2).getDouble(0));
        assertEquals(1000, rows.get(1).get(2).getDouble(0));
    }

    @Test
    void aWrongRowNamesFilePlaceAndRule() throws IOException {
        String file = file("x.csv", "1,2\n1,2,3\nx,1\n,5\n");
        Csv csv = Csv.of(2).with(new Csv.Group(DType.I32, 0, 1, "9")).with(DType.I32, 1, 1);
        List<RuntimeException> bad = new ArrayList<>();
        List<Sample> rows = all(csv.read(file).skipBad(bad::add));
        assertEquals(9, rows.get(1).get(0).getLong(0));
        assertEquals(
                List.of(
                        "csv of element 1 of epoch 0: " + file + " at byte 4: wanted 2 fields, got 3",
                        "csv of element 2 of epoch 0: " + file + " at byte 10: field 0, 'x', is not i32"),
                bad.stream().map(Throwable::getMessage).toList());
    }

    @Test
    void aFileThatIsNotThereIsNamed() {
        OxbowException e = assertThrows(
                OxbowException.class, () -> TfRecords.of(folder + "/no*").open());
        assertEquals(ErrorCode.NOT_FOUND, e.code());
        assertEquals("tfrecord: there is no file '" + folder + "/no*'", e.getMessage());
    }

    @Test
    void foldersAreClassesInTheOrderOfTheirNames() throws IOException {
        for (String f : List.of("cat/2.png", "cat/1.jpg", "ant/x.JPEG", "ant/notes.txt")) {
            Path file = folder.resolve(f);
            Files.createDirectories(file.getParent());
            Files.writeString(file, f);
        }
        ImageFolder images = ImageFolder.of(folder.toString());
        assertEquals(List.of("ant", "cat"), images.classes());
        assertEquals(
                List.of("ant/x.JPEG 0", "cat/1.jpg 1", "cat/2.png 1"),
                all(images.images().map(i -> i.content().text() + " " + i.label())));
    }

    @Test
    void recordsOverASocketEndWithTheConnection() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread sender = Thread.ofPlatform().start(() -> {
                try (Socket s = server.accept()) {
                    for (int i = 0; i < 3; i++) RecordFrame.write(s.getOutputStream(), new byte[i]);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            Pipeline<Record> p = Sockets.records("localhost", server.getLocalPort(), Duration.ofSeconds(30));
            assertEquals(List.of(0, 1, 2), all(p.map(r -> r.bytes().length)));
            sender.join();
        }
    }

    @Test
    void aConnectionThatEndsInTheMiddleOfARecordIsAnErrorThatNamesThePeer() throws Exception {
        ByteArrayOutputStream two = new ByteArrayOutputStream();
        for (int i = 0; i < 2; i++) RecordFrame.write(two, new byte[100]);
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread sender = Thread.ofPlatform().start(() -> {
                try (Socket s = server.accept()) {
                    s.getOutputStream().write(two.toByteArray(), 0, two.size() - 50);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            try (Feed<Record> feed = Sockets.records("localhost", server.getLocalPort(), Duration.ofSeconds(30))
                    .open()) {
                assertEquals(100, feed.next().bytes().length);
                OxbowException e = assertThrows(OxbowException.class, feed::next);
                assertEquals(ErrorCode.DATA_LOSS, e.code());
                assertTrue(e.getMessage().contains("localhost:" + server.getLocalPort()), e.getMessage());
            }
            sender.join();
        }
    }

    @Test
    void aSilentPeerIsNamed() throws IOException {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Pipeline<Record> p = Sockets.records("localhost", server.getLocalPort(), Duration.ofMillis(20));
            OxbowException e = assertThrows(OxbowException.class, () -> all(p));
            assertEquals(ErrorCode.DEADLINE_EXCEEDED, e.code());
            assertEquals(
                    "socket: localhost:%d sent nothing for PT0.02S".formatted(server.getLocalPort()), e.getMessage());
        }
    }

    @Test
    void closingEndsTheWaitForASilentPeer() throws Exception {
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Feed<Record> feed = Sockets.records("localhost", server.getLocalPort(), Duration.ofHours(1))
                    .threads(1)
                    .open();
            try (Socket s = server.accept()) {
                RecordFrame.write(s.getOutputStream(), new byte[7]);
                assertEquals(7, feed.next().bytes().length);
                feed.close(); // while somebody waits for a second one
            }
            for (Thread t : Thread.getAllStackTraces().keySet())
                if (!before.contains(t) && t.getName().startsWith("input-"))
                    assertTrue(t.join(Duration.ofSeconds(20)), t::toString);
        }
    }

    @Test
    void aPeerThatIsNotThereAndAPositionInWhatItSentAreErrors() throws IOException {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            int port = server.getLocalPort();
            Pipeline<Record> p = Sockets.records("localhost", port, Duration.ofSeconds(30));
            assertEquals(
                    "socket: can not go on after 3 records of localhost:" + port + ": they do not come again",
                    assertThrows(OxbowException.class, () -> p.epoch(0, 3)).getMessage());
        }
        Pipeline<Record> p = Sockets.records("localhost", 1, Duration.ofSeconds(30));
        OxbowException e = assertThrows(OxbowException.class, p::open);
        assertEquals(ErrorCode.UNAVAILABLE, e.code());
        assertTrue(e.getMessage().startsWith("socket: can not connect to localhost:1: "), e.getMessage());
    }

    @Test
    void aMarkOfUtf8IsNoTextAndRowsWithoutACharacterAreNone() throws IOException {
        String file = file("x.csv", "\uFEFF1,2\r\n\r\n3,4\n\n");
        Csv csv = Csv.of(2).with(DType.F32, 0, 2);
        List<Sample> rows = all(csv.read(file));
        assertEquals(2, rows.size());
        assertArrayEquals(new float[] {1, 2}, rows.get(0).get(0).floats());
        assertEquals(1, rest(csv.read(file).epoch(0, 1)).size());
        assertEquals(List.of(3L, 8L, 10L, 14L), all(Lines.of(file).map(Record::offset)));
        assertEquals(
                List.of("\uFEFF"), all(Lines.of(file("y.txt", "\uFEFF\uFEFF")).map(Record::text)));
        assertEquals(List.of("ï"), all(Lines.of(file("z.txt", "ï")).map(Record::text)));
        assertEquals(
                2,
                all(Csv.of(1).with(DType.STRING, 0, 1).read(file("one.csv", "a\n\n")))
                        .size());
    }
}
