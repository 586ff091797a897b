package dev.oxbow.data.source;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.oxbow.data.image.Augment;
import dev.oxbow.data.pipeline.Batch;
import dev.oxbow.data.pipeline.Feed;
import dev.oxbow.data.pipeline.Pipeline;
import dev.oxbow.data.pipeline.RowMapper;
import dev.oxbow.kernels.codec.JpegEncoder;
import dev.oxbow.kernels.codec.Picture;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
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
