package dev.oxbow.data.source;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.oxbow.data.Idx;
import dev.oxbow.data.pipeline.Feed;
import dev.oxbow.data.pipeline.Pipeline;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.Npy;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every reader, on files that were cut, whose bits were turned, and that tell of huge lengths. */
final class HostileFilesTest {
    private static final int TRIALS = 400;

    /** What one file may make a reader allocate, far more than any of these files holds. */
    private static final long MOST = 64 << 20;

    private static final ExampleFormat FORMAT = ExampleFormat.of()
            .with("id", DType.I64)
            .with("words", DType.STRING, -1)
            .with("numbers", DType.F32, -1);

    private static final SequenceFormat SEQUENCES = SequenceFormat.of(
                    ExampleFormat.of().with("class", DType.I64))
            .with("words", DType.I64)
            .with("places", DType.F32, 2)
            .with("names", DType.STRING);

    @TempDir
    private Path folder;

    /** A reader of a file, which gives anything or throws an OxbowException. */
    private static Map<String, Function<String, Pipeline<?>>> readers() {
        Map<String, Function<String, Pipeline<?>>> all = new LinkedHashMap<>();
        all.put("tfrecord", f -> TfRecords.of(f).map(FORMAT::parse));
        all.put("sequences", f -> TfRecords.of(f).map("parse", 0, SEQUENCES));
        all.put("lines", Lines::of);
        all.put(
                "csv",
                f -> Csv.of(3).with(DType.F32, 0, 2).with(DType.STRING, 2, 1).read(f));
        all.put("idx", f -> counted(Idx.read(Path.of(f))));
        all.put("npy", f -> counted(Npy.read(Path.of(f))));
        all.put("npz", f -> counted(Npy.readNpz(Path.of(f)).values().toArray(Tensor[]::new)));
        return all;
    }

    /** As many numbers as there are tensors, which are closed. */
    private static Pipeline<Long> counted(Tensor... all) {
        for (Tensor t : all) t.close();
        return Pipeline.range(all.length);
    }

    private Map<String, List<byte[]>> files() throws IOException {
        byte[] records = Files.readAllBytes(Path.of("src/test/answers/ten.tfrecord"));
        byte[] text = "1.5,2,\"a\"\n-3,4e2,b\n7,8,\"c,\n\"\"d\"\n".repeat(20).getBytes(StandardCharsets.UTF_8);
        ByteBuffer idx = ByteBuffer.allocate(4 + 8 + 60).order(ByteOrder.BIG_ENDIAN);
        idx.putInt(0x802).putInt(6).putInt(10);
        Path npy = folder.resolve("good.npy"), npz = folder.resolve("good.npz");
        try (Tensor t = Tensor.zeros(DType.F32, Shape.of(6, 5))) {
            Npy.write(npy, t);
            Npy.writeNpz(npz, Map.of("x", t, "y", t));
        }
        return Map.of(
                "tfrecord", List.of(records, Files.readAllBytes(Path.of("src/test/answers/ten.tfrecord.gz"))),
                "sequences", List.of(Files.readAllBytes(Path.of("src/test/answers/sequences.tfrecord"))),
                "lines", List.of(text, zipped(text)),
                "csv", List.of(text, zipped(text)),
                "idx", List.of(idx.array(), zipped(idx.array())),
                "npy", List.of(Files.readAllBytes(npy)),
                "npz", List.of(Files.readAllBytes(npz)));
    }

    private static byte[] zipped(byte[] content) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream zip = new GZIPOutputStream(out)) {
            zip.write(content);
        }
        return out.toByteArray();
    }

    @Test
    void brokenFilesAreErrorsOrOtherValuesAndTakeLittleMemory() throws IOException {
        var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        Path file = folder.resolve("hostile");
        Map<String, List<byte[]>> files = files();
        readers().forEach((name, reader) -> {
            for (int seed = 0; seed < TRIALS; seed++) {
                Random random = new Random(seed);
                List<byte[]> good = files.get(name);
                byte[] bad = broken(good.get(seed % good.size()), random);
                write(file, bad);
                long before = threads.getCurrentThreadAllocatedBytes();
                read(reader, file, "%s, seed %d".formatted(name, seed));
                long taken = threads.getCurrentThreadAllocatedBytes() - before;
                assertTrue(taken < MOST, "%s, seed %d: took %d bytes".formatted(name, seed, taken));
            }
        });
    }

    private static void write(Path file, byte[] content) {
        try {
            Files.write(file, content);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void read(Function<String, Pipeline<?>> reader, Path file, String what) {
        try (Feed<?> feed = reader.apply(file.toString()).threads(0).open()) {
            for (int i = 0; feed.hasNext(); i++) {
                assertTrue(i < 10_000, what + ": has no end");
                try {
                    feed.next();
                } catch (OxbowException e) {
                    assertTrue(e.getMessage().contains(file.toString()), what + ": " + e);
                }
            }
        } catch (OxbowException e) {
            assertTrue(e.getMessage().contains(file.toString()), what + ": " + e);
        } catch (RuntimeException e) {
            throw new AssertionError(what, e);
        }
    }

    private static byte[] broken(byte[] good, Random random) {
        byte[] bad = good.clone();
        switch (random.nextInt(4)) {
            case 0 -> bad = Arrays.copyOf(bad, random.nextInt(bad.length));
            case 1 -> bad[random.nextInt(bad.length)] ^= (byte) (1 << random.nextInt(8));
            case 2 -> {
                int at = random.nextInt(bad.length), n = Math.min(bad.length - at, 1 + random.nextInt(8));
                Arrays.fill(bad, at, at + n, (byte) (random.nextBoolean() ? 0xff : 0x7f));
            }
            default -> {
                for (int i = 0; i < 20; i++) bad[random.nextInt(bad.length)] = (byte) random.nextInt();
            }
        }
        return bad;
    }
}
