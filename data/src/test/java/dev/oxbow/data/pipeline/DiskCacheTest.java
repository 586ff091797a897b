package dev.oxbow.data.pipeline;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Elements that are kept in a folder: computed once, never used where they are not whole. */
final class DiskCacheTest {
    private static final int SIZE = 40;

    private final AtomicInteger computed = new AtomicInteger();

    @TempDir
    private Path folder;

    @AfterEach
    void end() throws IOException {
        KeptOnDisk.leave(folder);
    }

    /** The pipeline of a new program. */
    private Pipeline<Sample> anew(String name, int threads) throws IOException {
        end();
        return cached(name, threads);
    }

    private Pipeline<Sample> cached(String name, int threads) {
        return Pipeline.range(SIZE)
                .map(name, 3, (i, draw) -> {
                    computed.incrementAndGet();
                    return Sample.of(Tensor.of(Shape.of(2), i, draw.epoch()), Tensor.of(Shape.of(1), "e" + i));
                })
                .cache(folder)
                .threads(threads);
    }

    private static List<String> taken(Pipeline<Sample> p, long epoch, int most) {
        List<String> all = new ArrayList<>();
        try (Feed<Sample> feed = p.epoch(epoch, 0)) {
            while (all.size() < most && feed.hasNext())
                try (Sample s = feed.next()) {
                    all.add(s.get(0).getLong(0) + " " + s.get(0).getLong(1) + " "
                            + new String((byte[]) s.get(1).objects()[0], StandardCharsets.UTF_8));
                }
        }
        return all;
    }

    @Test
    void elementsAreComputedOnceForAllEpochsAndLaterPrograms() throws IOException {
        for (int threads : new int[] {0, 3}) {
            Pipeline<Sample> first = cached("map", threads);
            List<String> elements = taken(first, 0, SIZE + 1);
            assertEquals(SIZE, elements.size());
            assertEquals("7 0 e7", elements.get(7));
            assertEquals(elements, taken(first, 1, SIZE + 1));
            assertEquals(elements, taken(cached("map", threads), 3, SIZE + 1));
            assertEquals(elements, taken(anew("map", threads), 5, SIZE + 1));
            assertEquals(SIZE, computed.get());
        }
    }

    @Test
    void aHalfIsUsedAndTheRestComputed() throws IOException {
        taken(cached("map", 0), 0, 10);
        assertEquals(10, computed.get());
        assertEquals(SIZE, taken(anew("map", 0), 0, SIZE + 1).size());
        assertEquals(SIZE, computed.get());
    }

    @Test
    void whatADeadProgramWroteIsNotUsed() throws IOException {
        Files.write(folder.resolve("elements"), new byte[1000]);
        assertEquals("3 0 e3", taken(cached("map", 0), 0, SIZE).get(3));
        assertEquals(SIZE, computed.get());
    }

    @Test
    void damagedAndLostFilesAreErrorsThatNameThem() throws IOException {
        taken(cached("map", 0), 0, SIZE + 1);
        Path file = folder.resolve("elements");
        byte[] content = Files.readAllBytes(file), changed = content.clone();
        changed[content.length / 2] ^= 1;
        Files.write(file, changed);
        OxbowException e = assertThrows(OxbowException.class, () -> taken(anew("map", 0), 0, SIZE));
        assertTrue(e.text().contains(file.toString()) && e.text().contains("is lost"), e.text());
        end();
        Files.delete(file);
        e = assertThrows(OxbowException.class, () -> taken(cached("map", 0), 0, SIZE));
        assertTrue(e.text().contains("elements has 0 bytes, its index wants " + content.length), e.text());
        Files.write(folder.resolve("index"), new byte[] {1, 2, 3, 4, 5});
        e = assertThrows(OxbowException.class, () -> taken(cached("map", 0), 0, SIZE));
        assertTrue(e.text().contains("index is damaged"), e.text());
    }

    @Test
    void elementsOfAnotherPipelineAreRefused() {
        taken(cached("map", 0), 0, SIZE + 1);
        for (int i = 0; i < 2; i++) {
            boolean later = i > 0;
            OxbowException e = assertThrows(
                    OxbowException.class, () -> taken(later ? anew("other", 0) : cached("other", 0), 0, SIZE));
            assertTrue(e.text().contains("wanted are those of"), e.text());
        }
    }

    @Test
    void aFullDiskIsAnErrorAndNothingIsUsedLater() throws IOException {
        Path full = Path.of("/dev/full");
        Assumptions.assumeTrue(Files.exists(full), "there is no disk that is always full");
        Files.createSymbolicLink(folder.resolve("elements"), full);
        OxbowException e = assertThrows(OxbowException.class, () -> taken(cached("map", 0), 0, SIZE));
        assertTrue(e.text().contains("can not write element 0 to " + folder), e.text());
        assertFalse(Files.exists(folder.resolve("index")));
    }

    @Test
    void whatLooksAtElementsLetsTheCacheLast() throws IOException {
        for (int threads : new int[] {0, 2}) {
            assertEquals(
                    SIZE,
                    taken(anew("map", threads).skipBad(_ -> {}), 0, SIZE + 1).size());
            assertEquals(
                    SIZE,
                    taken(anew("map", threads).filter(_ -> true), 1, SIZE + 1).size());
            assertEquals(SIZE, computed.get());
        }
    }

    @Test
    void namesOfAnyLengthTellPipelinesApart() throws IOException {
        String name = "part-0007.tfrecord ".repeat(5000);
        assertEquals(SIZE, taken(anew(name, 0), 0, SIZE + 1).size());
        assertEquals(SIZE, taken(anew(name, 0), 0, SIZE + 1).size());
        assertEquals(SIZE, computed.get());
        assertThrows(OxbowException.class, () -> taken(anew(name + "x", 0), 0, SIZE + 1));
    }

    @Test
    void aFolderThatIsLostWhileItIsWrittenIsAnErrorThatNamesIt() throws IOException {
        Pipeline<Sample> p = cached("map", 0);
        Feed<Sample> feed = p.open();
        feed.next().close();
        Files.delete(folder.resolve("elements"));
        Path lost = folder.resolveSibling(folder.getFileName() + "-lost");
        Files.move(folder, lost);
        try {
            OxbowException e = assertThrows(OxbowException.class, feed::close);
            assertTrue(e.text().contains(folder.resolve("index").toString()), e.text());
        } finally {
            Files.move(lost, folder);
        }
    }

    @RepeatedTest(10)
    void feedsThatAreClosedEarlyAndInterruptedThreadsLeaveItUsable(RepetitionInfo run) throws IOException {
        Pipeline<Sample> p = cached("map", 1 + run.getCurrentRepetition() % 4);
        for (int taken = 1; taken < SIZE; taken += 5) {
            if (run.getCurrentRepetition() % 2 == 0)
                assertEquals(taken, taken(p, 0, taken).size());
            else
                try (Feed<Sample> feed = p.open()) {
                    for (int i = 0; i < taken; i++) feed.next().close();
                    Thread.currentThread().interrupt(); // whoever takes is cancelled
                } finally {
                    assertTrue(Thread.interrupted());
                }
        }
        assertEquals(SIZE, taken(anew("map", 2), 0, SIZE + 1).size());
        assertTrue(computed.get() <= SIZE + 4 * SIZE, computed::toString); // some twice, by threads side by side
        computed.set(0);
        assertEquals(SIZE, taken(anew("map", 2), 0, SIZE + 1).size());
        assertEquals(0, computed.get());
    }
}
