package dev.oxbow.data.source;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.oxbow.data.image.Augment;
import dev.oxbow.data.pipeline.Batch;
import dev.oxbow.data.pipeline.Draw;
import dev.oxbow.data.pipeline.Feed;
import dev.oxbow.data.pipeline.Pipeline;
import dev.oxbow.data.pipeline.Row;
import dev.oxbow.data.pipeline.RowMapper;
import dev.oxbow.kernels.codec.JpegEncoder;
import dev.oxbow.kernels.codec.Picture;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rows that are written where the batch has them are those of samples made one by one, errors included. */
final class FilledBatchesTest {
    @TempDir
    private Path folder;

    /** What batches hold, and the errors between them, as text. */
    private static List<String> all(Pipeline<Batch> p, long from) {
        List<String> all = new ArrayList<>();
        try (Feed<Batch> feed = p.epoch(1, from)) {
            while (feed.hasNext()) {
                try (Batch b = feed.next()) {
                    List<String> texts = new ArrayList<>();
                    for (Tensor t : b.tensors())
                        texts.add(
                                t.dtype().isObject()
                                        ? t.strings().toString()
                                        : List.of(t.bytes().length, hash(t)) + "");
                    all.add("%d of %d: %s".formatted(b.first(), b.rows(), texts));
                } catch (OxbowException e) {
                    all.add(e.getMessage());
                }
            }
        }
        return all;
    }

    private static int hash(Tensor t) {
        return Arrays.hashCode(t.bytes());
    }

    private static <T> void compare(Pipeline<T> elements, RowMapper<T> f) {
        Pipeline<Batch> filled = elements.map("f", 3, f).batch(7);
        Pipeline<Batch> stacked =
                elements.map("f", 3, (x, draw) -> f.apply(x, draw)).batch(7);
        for (int ranks = 1; ranks <= 3; ranks++)
            for (int rank = 0; rank < ranks; rank++)
                for (int threads : new int[] {0, 3})
                    for (long from : new long[] {0, 2})
                        assertEquals(
                                all(stacked.share(rank, ranks).threads(threads), from),
                                all(filled.share(rank, ranks).threads(threads), from),
                                "rank %d of %d, %d threads, from %d".formatted(rank, ranks, threads, from));
    }

    @Test
    void rowsOfText() throws IOException {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 40; i++)
            text.append(i == 17 ? "1,x,3,4\n" : i + ".25,-" + i + ",\"a\"\"" + i + "\"," + i + "\n");
        Path file = Files.writeString(folder.resolve("x.csv"), text);
        Csv csv = Csv.of(4)
                .with(DType.STRING, 2, 1)
                .with(DType.F32, 0, 2)
                .with(DType.F64, 1, 1)
                .with(DType.I32, 3, 1);
        compare(csv.records(FileStore.local(), file.toString()), csv);
    }

    @Test
    void examples() {
        ExampleFormat format = ExampleFormat.of()
                .with("id", DType.I64)
                .with(new ExampleFormat.Field("nothing", DType.F32, Shape.of(3), true));
        compare(TfRecords.of("src/test/answers/ten.tfrecord").repeat(3), format);
    }

    /** A field of a message: a tag, a length and bytes. */
    private static byte[] field(int number, byte[]... content) {
        ByteArrayOutputStream inner = new ByteArrayOutputStream(), outer = new ByteArrayOutputStream();
        for (byte[] c : content) inner.writeBytes(c);
        outer.write(number << 3 | 2);
        int n = inner.size();
        for (; n > 127; n >>>= 7) outer.write(n & 127 | 128);
        outer.write(n);
        outer.writeBytes(inner.toByteArray());
        return outer.toByteArray();
    }

    private static byte[] feature(String name, int kind, byte[] values) {
        byte[] list = field(kind, field(1, values));
        return field(1, field(1, name.getBytes(StandardCharsets.UTF_8)), field(2, list));
    }

    private static byte[] random(Random random, int n) {
        byte[] bytes = new byte[n];
        random.nextBytes(bytes);
        return bytes;
    }

    private static byte[] letters(Random random, int n) {
        byte[] bytes = random(random, n);
        for (int i = 0; i < n; i++) bytes[i] = (byte) ('a' + (bytes[i] & 15));
        return bytes;
    }

    /** Mostly alike, as files have them; some with other names, orders, kinds, lengths, or broken bytes. */
    private static byte[] example(Random random) {
        List<byte[]> features = new ArrayList<>();
        features.add(feature("x", 2, random(random, random.nextInt(20) == 0 ? 4 : 12)));
        features.add(feature("id", 3, new byte[] {(byte) random.nextInt(128)}));
        features.add(feature("name", 1, letters(random, 120 + random.nextInt(20))));
        if (random.nextInt(5) == 0)
            features.add(random.nextInt(4), feature("y".repeat(random.nextInt(60)), 1, letters(random, 3)));
        if (random.nextInt(10) == 0) Collections.shuffle(features, random);
        if (random.nextInt(20) == 0) features.set(1, feature("id", 2, random(random, 4)));
        if (random.nextInt(20) == 0) features.set(1, feature("id", 3, new byte[] {(byte) 200, 1}));
        if (random.nextInt(20) == 0) features.remove(random.nextInt(features.size()));
        byte[] all = field(1, features.toArray(byte[][]::new));
        if (random.nextInt(15) == 0) all[random.nextInt(all.length)] ^= (byte) (1 << random.nextInt(8));
        return random.nextInt(20) == 0 ? Arrays.copyOf(all, random.nextInt(all.length)) : all;
    }

    @Test
    void examplesThatAreAlmostAlike() {
        ExampleFormat format =
                ExampleFormat.of().with("x", DType.F32, 3).with("id", DType.I64).with("name", DType.STRING);
        for (int seed = 1; seed <= 20; seed++) {
            Random random = new Random(seed);
            List<byte[]> records = new ArrayList<>();
            for (int i = 0; i < 98; i++) records.add(example(random)); // each worker has rows of each batch
            Path file = folder.resolve(seed + ".tfrecord"); // the seed is in the errors, too
            TfRecords.write(file, records);
            compare(TfRecords.of(file.toString()), format);
        }
    }

    @Test
    void images() throws IOException {
        Random r = new Random(5);
        Files.createDirectories(folder.resolve("jpeg/a"));
        for (int i = 0; i < 9; i++) {
            byte[] s = new byte[3 * 40 * 30];
            r.nextBytes(s);
            byte[] jpeg = JpegEncoder.encode(new Picture(40, 30, 3, s), JpegEncoder.Options.DEFAULT);
            Files.write(
                    folder.resolve("jpeg/a/%d.jpg".formatted(i)),
                    i == 4 ? "no image".getBytes(StandardCharsets.UTF_8) : jpeg);
        }
        Augment augment = Augment.to(16, 20).randomCrop(0.1, 1, 0.5, 2).flip(0.5);
        compare(
                ImageFolder.of(folder.resolve("jpeg").toString())
                        .images()
                        .shuffle(4)
                        .repeat(2),
                augment);
    }

    @Test
    void shortNumbersSideBySideAreThoseOfTheJdk() throws IOException {
        Random r = new Random(18);
        int columns = 9, rows = 5_000;
        String[] texts = new String[rows * columns];
        StringBuilder file = new StringBuilder();
        for (int i = 0; i < texts.length; i++) {
            String digits = Integer.toString(r.nextInt((int) Math.pow(10, 1 + r.nextInt(8))));
            int point = r.nextInt(digits.length() + 2);
            texts[i] = (r.nextInt(3) == 0 ? "-" : "")
                    + (point > digits.length() ? digits : digits.substring(0, point) + "." + digits.substring(point));
            if (texts[i].matches("-?\\.?")) texts[i] = "0";
            file.append(texts[i]).append(i % columns == columns - 1 ? '\n' : ',');
        }
        Csv csv = Csv.of(columns).with(DType.F32, 0, columns);
        int i = 0;
        Path path = Files.writeString(folder.resolve("short.csv"), file);
        try (Feed<Batch> feed = csv.read(path.toString()).batch(64).threads(0).open()) {
            while (feed.hasNext())
                try (Batch b = feed.next()) {
                    for (float f : b.tensors().getFirst().floats()) {
                        assertEquals(Float.parseFloat(texts[i]), f, texts[i]);
                        i++;
                    }
                }
        }
        assertEquals(texts.length, i);
        Files.writeString(path, "1.5,2/5,3.25,44444444,55555555\n");
        Csv five = Csv.of(5).with(DType.F32, 0, 5);
        assertEquals(
                List.of("csv of element 0 of epoch 1: " + path + " at byte 0: field 1, '2/5', is not f32"),
                all(five.read(path.toString()).batch(1), 0));
    }

    @Test
    void aRowOfOnesOwnIsCheckedAndCanNotBeKept() {
        List<Row> kept = new ArrayList<>();
        class Own implements RowMapper<Long> {
            @Override
            public Optional<List<Row.Column>> columns() {
                return Optional.of(
                        List.of(new Row.Column(DType.F32, Shape.of(2)), new Row.Column(DType.STRING, Shape.SCALAR)));
            }

            @Override
            public void write(Long x, Draw draw, Row row) {
                kept.add(row);
                row.setFloats(0, x, 2 * x);
                row.setString(1, 0, new byte[] {(byte) ('a' + x)});
                if (x == 4) row.setFloat(0, 2, 1);
                if (x == 5) row.setLong(0, 0, 1);
            }
        }
        compare(Pipeline.range(8), new Own());
        List<String> all = all(Pipeline.range(6).map("own", 0, new Own()).batch(1), 4);
        assertEquals("own of element 4 of epoch 1: row: column 0 has 2 values, there is no value 2", all.get(0));
        assertEquals(
                "own of element 5 of epoch 1: row: column 0 is not i64; columns are [f32, string]",
                all.get(1).replace("STRING", "string").replace("F32", "f32"));
        assertEquals(
                "row: it is written already, and must not be kept",
                assertThrows(OxbowException.class, () -> kept.getFirst().setFloat(0, 0, 1))
                        .text());
    }

    @Test
    void numbersAreThoseOfTheJdk() throws IOException {
        Random r = new Random(8);
        List<String> texts = new ArrayList<>(List.of(
                "0",
                "-0",
                "1.",
                ".5",
                "16777217",
                "1e5",
                "-1E-40",
                "8388608.5",
                "NaN",
                "9007199254740993",
                "3.4028236e38",
                "0.000000000000000000000000000000000000001",
                " 7 ",
                "\"2.5\""));
        for (int i = 0; i < 20_000; i++) {
            float near = Float.intBitsToFloat(r.nextInt() & 0x7fffffff);
            texts.add(
                    switch (r.nextInt(4)) {
                        case 0 -> Long.toString(r.nextLong() >> r.nextInt(64));
                        case 1 -> String.format(Locale.ROOT, "%." + r.nextInt(12) + "f", r.nextGaussian() * 1e5);
                        // just between two floats, where rounding twice goes wrong
                        case 2 ->
                            new BigDecimal(1 + r.nextInt(1 << 24))
                                            .add(new BigDecimal("0.5"))
                                            .toPlainString()
                                    + "0".repeat(r.nextInt(3))
                                    + (r.nextBoolean() ? "1" : "");
                        default -> Float.isFinite(near) ? Float.toString(near) : "1";
                    });
        }
        Path file = Files.writeString(folder.resolve("n.csv"), String.join("\n", texts));
        Csv csv = Csv.of(1).with(DType.F32, 0, 1).with(DType.F64, 0, 1);
        int i = 0;
        try (Feed<Batch> feed = csv.read(file.toString()).batch(64).threads(0).open()) {
            while (feed.hasNext())
                try (Batch b = feed.next()) {
                    float[] narrow = b.tensors().get(0).floats();
                    double[] wide = b.tensors().get(1).doubles();
                    for (int k = 0; k < narrow.length; k++, i++) {
                        String text = texts.get(i).replace("\"", "");
                        assertEquals(Float.parseFloat(text), narrow[k], text);
                        assertEquals(Double.parseDouble(text), wide[k], text);
                    }
                }
        }
        assertEquals(texts.size(), i);
    }
}
