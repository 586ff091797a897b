package dev.oxbow.parquet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.data.pipeline.Batch;
import dev.oxbow.data.pipeline.Feed;
import dev.oxbow.data.pipeline.Pipeline;
import dev.oxbow.data.pipeline.Sample;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files of pyarrow ({@code record/tables.py}), whose values follow from the number of the row. */
final class ParquetTest {
    private static final String ANSWERS = "src/test/answers/";
    private static final int ROWS = 1000;
    private static final Parquet ALL = Parquet.of()
            .with(DType.F32, "x")
            .with(DType.F64, "y")
            .with(DType.I32, "n")
            .with(DType.I64, "m")
            .with(DType.BOOL, "b")
            .with(DType.STRING, "s")
            .with(new Parquet.Group(DType.F32, List.of("z"), 0, -1))
            .withList(DType.F32, "v", 3);

    @ParameterizedTest
    @ValueSource(strings = {"plain", "snappy", "gzip", "zstd", "lz4"})
    void valuesAreThoseThatWereWritten(String name) {
        long row = 0;
        try (Feed<Sample> feed = ALL.read(ANSWERS + name + ".parquet").open()) {
            for (; feed.hasNext(); row++)
                try (Sample s = feed.next()) {
                    check(s, row);
                }
        }
        assertEquals(ROWS, row);
    }

    private static void check(Sample s, long i) {
        assertEquals(i / 8f, s.get(0).getDouble(0));
        assertEquals(-i / 3.0, s.get(1).getDouble(0));
        assertEquals(i % 100, s.get(2).getLong(0));
        assertEquals(i << 33, s.get(3).getLong(0));
        assertEquals(i % 3 == 0, s.get(4).booleans()[0]);
        assertEquals(List.of("s" + i), s.get(5).strings());
        assertEquals(i % 5 == 0 ? -1 : i / 2f, s.get(6).getDouble(0));
        assertEquals(i, s.get(7).getDouble(0));
        assertEquals(i + 0.25, s.get(7).getDouble(2));
    }

    @Test
    void batchesAreFilledAndPositionsAreFoundWithoutReadingWhatLiesBefore() {
        Pipeline<Batch> batches = Parquet.of()
                .with(DType.F64, "x", "z")
                .with(DType.I64, "n")
                .with(new Parquet.Group(DType.STRING, List.of("s"), 0, "none"))
                .read(ANSWERS + "*.parquet")
                .filter(s -> true) // samples, one by one
                .batch(64);
        assertThrows(OxbowException.class, () -> {
            try (Feed<Batch> feed = batches.open()) {
                while (feed.hasNext()) feed.next().close();
            }
        }); // z has nulls
        Pipeline<Batch> two = Parquet.of()
                .with(DType.F64, "x", "y")
                .with(DType.I64, "n")
                .read(ANSWERS + "plain.parquet", ANSWERS + "zstd.parquet")
                .batch(64);
        List<Double> all = column(two, 0, 0), part = column(two, 0, 11);
        assertEquals(all.subList(11 * 64, all.size()), part);
        List<Double> shared = new ArrayList<>();
        for (int rank = 0; rank < 3; rank++) shared.addAll(column(two.share(rank, 3), 0, 0));
        assertEquals(all.stream().sorted().toList(), shared.stream().sorted().toList());
    }

    private static List<Double> column(Pipeline<Batch> p, long epoch, long from) {
        List<Double> all = new ArrayList<>();
        try (Feed<Batch> feed = p.epoch(epoch, from)) {
            while (feed.hasNext())
                try (Batch b = feed.next()) {
                    Tensor x = b.tensors().getFirst();
                    for (long i = 0; i < x.size(); i += 2) all.add(x.getDouble(i));
                }
        }
        return all;
    }

    private static String error(Parquet p, String file, ErrorCode code) {
        OxbowException e = assertThrows(OxbowException.class, () -> {
            try (Feed<Sample> feed = p.read(file).threads(0).open()) {
                while (feed.hasNext()) feed.next().close();
            }
        });
        assertEquals(code, e.code());
        return e.getMessage();
    }

    @Test
    void errorsNameFileColumnAndRule() {
        String file = ANSWERS + "snappy.parquet";
        assertEquals(
                file + ", column 'w': there is none, only [x, y, n, m, b, s, z, v.list.element]",
                error(Parquet.of().with(DType.F32, "w"), file, ErrorCode.INVALID_ARGUMENT));
        assertEquals(
                file + ", column 's': it has BINARY, wanted is f32",
                error(Parquet.of().with(DType.F32, "s"), file, ErrorCode.INVALID_ARGUMENT));
        assertEquals(
                "parquet of element 0 of epoch 0: " + file
                        + ", row group 0, column 'z': row 0 has no value, and there is no default",
                error(Parquet.of().with(DType.F32, "z"), file, ErrorCode.DATA_LOSS));
        assertEquals(
                "parquet of element 0 of epoch 0: " + file
                        + ", row group 0, column 'v': row 0 has a list of 3 values, wanted are 4",
                error(Parquet.of().withList(DType.F32, "v", 4), file, ErrorCode.DATA_LOSS));
        assertEquals("parquet: there is no file 'nowhere.parquet'", error(ALL, "nowhere.parquet", ErrorCode.NOT_FOUND));
    }

    @ParameterizedTest
    @ValueSource(strings = {"plain", "snappy", "gzip", "zstd", "lz4"})
    void brokenFilesAreErrorsThatNameTheFileOrOtherValues(String name, @TempDir Path folder) throws IOException {
        byte[] good = Files.readAllBytes(Path.of(ANSWERS + name + ".parquet"));
        Path file = folder.resolve("hostile.parquet");
        for (int seed = 0; seed < 150; seed++) {
            Random random = new Random(seed);
            byte[] bad = good.clone();
            int at = random.nextInt(2) == 0 ? random.nextInt(bad.length) : bad.length - 1 - random.nextInt(3000);
            switch (random.nextInt(3)) {
                case 0 -> bad = Arrays.copyOf(bad, at);
                case 1 -> bad[at] ^= (byte) (1 << random.nextInt(8));
                default ->
                    Arrays.fill(bad, at, Math.min(bad.length, at + 8), (byte) (random.nextBoolean() ? 0xff : 0x7f));
            }
            Files.write(file, bad);
            try (Feed<Sample> feed = ALL.read(file.toString()).threads(0).open()) {
                for (int i = 0; feed.hasNext(); i++) {
                    assertTrue(i < 10_000_000, "seed " + seed + ": has no end");
                    try {
                        feed.next().close();
                    } catch (OxbowException e) {
                        assertTrue(e.getMessage().contains("hostile.parquet"), "seed " + seed + ": " + e);
                        break;
                    }
                }
            } catch (RuntimeException | Error e) {
                throw new AssertionError("seed " + seed, e);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 4})
    void aBrokenPageIsAnErrorOfEachBatchThatWantsIt(int threads, @TempDir Path folder) throws IOException {
        byte[] bad = Files.readAllBytes(Path.of(ANSWERS + "plain.parquet"));
        Arrays.fill(bad, 4, 60, (byte) 0xff); // the first page
        Path file = Files.write(folder.resolve("bad.parquet"), bad);
        List<String> errors = new ArrayList<>();
        try (Feed<Batch> feed = Parquet.of()
                .with(DType.F32, "x")
                .read(file.toString())
                .batch(64)
                .threads(threads)
                .open()) {
            while (feed.hasNext()) {
                try {
                    feed.next().close();
                } catch (OxbowException e) {
                    errors.add(e.getMessage());
                }
            }
        }
        assertTrue(!errors.isEmpty(), "none");
        String place = "parquet of element 0 of epoch 0: " + file + ", row group 0, column 'x': ";
        assertTrue(errors.getFirst().startsWith(place), errors.getFirst());
    }
}
