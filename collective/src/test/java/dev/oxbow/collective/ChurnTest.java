package dev.oxbow.collective;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.net.MeshConfig;
import dev.oxbow.net.Transport;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Jobs and groups that are formed and fail, again and again, leave nothing behind. */
final class ChurnTest {
    private static final int WARM_UP = 6;
    private static final int SIZE = 3;
    private static final long COUNT = 50_000;
    /** Less than a thousand jobs would leave behind if each forgot one of its larger blocks. */
    private static final long ROUGHLY = 256 << 20;

    private static final CommunicatorConfig CONFIG = CommunicatorConfig.DEFAULT
            .withMesh(MeshConfig.DEFAULT.withLiveness(Duration.ofMillis(100), Duration.ofSeconds(20)))
            .withDeadline(Duration.ofSeconds(60))
            .withGrace(Duration.ofMillis(20))
            .withTraceSpans(64)
            .withMeasure(false);

    /** What this process holds that can leak. */
    private record Held(long memory, long threads, long files, long mappings) {
        static Held now() throws IOException {
            long threads = Thread.getAllStackTraces().keySet().stream()
                    .filter(t -> t.getName().startsWith("oxbow"))
                    .count();
            return new Held(MemoryPool.shared().bytesInUse(), threads, openFiles(), regions());
        }

        /** Memory may be less: a tensor that an earlier test forgot is cleaned up at any time. */
        void assertNotExceeded() throws IOException {
            Held now = now();
            assertEquals(new Held(Math.min(memory, now.memory), threads, files, mappings), now);
        }

        private static long openFiles() throws IOException {
            Path folder = Path.of("/proc/self/fd");
            if (!Files.isDirectory(folder)) return 0;
            try (Stream<Path> all = Files.list(folder)) {
                return all.count();
            }
        }

        private static long regions() throws IOException {
            Path maps = Path.of("/proc/self/maps");
            if (!Files.isReadable(maps)) return 0;
            try (Stream<String> lines = Files.lines(maps)) {
                return lines.filter(l -> l.contains("oxbow-")).count();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void failedJobsLeaveNothingBehind(Wiring wiring) throws IOException {
        churn(wiring, 60);
    }

    @Tag("long")
    @ParameterizedTest
    @EnumSource
    void aThousandFailedJobsLeaveNothingBehind(Wiring wiring) throws IOException {
        churn(wiring, 1000);
    }

    private static void churn(Wiring wiring, int rounds) throws IOException {
        for (int i = 0; i < WARM_UP; i++) failOnce(wiring, i);
        Held before = Held.now();
        long resident = resident();
        for (int i = 0; i < rounds; i++) failOnce(wiring, i);
        before.assertNotExceeded();
        assertTrue(resident() - resident < ROUGHLY, () -> "%,d bytes became %,d".formatted(resident, resident()));
    }

    /** Forms a job that fails: a rank is of another mind, closes in the middle, or leaves without a word. */
    private static void failOnce(Wiring wiring, int how) {
        List<? extends Transport> transports = wiring.form(SIZE);
        List<Communicator> ranks =
                transports.stream().map(t -> Communicator.start(t, CONFIG)).toList();
        List<Tensor> tensors = new ArrayList<>();
        List<Pending> pending = new ArrayList<>();
        for (Communicator c : ranks) {
            boolean odd = c.rank() == 1;
            Tensor t = Tensor.zeros(DType.F32, Shape.of(how % 3 == 0 && odd ? 5 : COUNT));
            tensors.add(t);
            if (how % 3 != 2 || !odd) pending.add(c.world().allReduce(t));
        }
        if (how % 3 != 0) ranks.get(1).close();
        for (Pending p : pending) {
            if (how % 3 == 1) endOf(p);
            else assertThrows(OxbowException.class, p::await);
        }
        ranks.forEach(Communicator::close);
        tensors.forEach(Tensor::close);
    }

    /** It may have ended before the rank closed. */
    private static void endOf(Pending p) {
        try {
            p.await();
        } catch (OxbowException e) {
            assertTrue(e.getMessage().contains("rank 1 "), e.getMessage());
        }
    }

    /** Memory of the process outside the heap, roughly. */
    private static long resident() {
        System.gc();
        Path status = Path.of("/proc/self/status");
        try (Stream<String> lines = Files.lines(status)) {
            long kilobytes = lines.filter(l -> l.startsWith("VmRSS:"))
                    .mapToLong(l -> Long.parseLong(l.replaceAll("\\D", "")))
                    .sum();
            return (kilobytes << 10) - Runtime.getRuntime().totalMemory();
        } catch (IOException e) {
            return 0;
        }
    }

    @Test
    void aThousandFailedGroupsOfOneJobLeaveNothingBehind() throws IOException {
        try (Job job = new Job(Wiring.TCP, SIZE, CONFIG)) {
            failGroups(job, 300);
            Held before = Held.now();
            failGroups(job, 1000);
            before.assertNotExceeded();
            for (int r = 0; r < SIZE; r++) assertEquals(0, job.rank(r).blocks().inUse());
        }
    }

    private static void failGroups(Job job, int rounds) {
        job.run(c -> {
            for (int i = 0; i < rounds; i++) {
                Group group = c.world().subgroup(0, 1, 2);
                try (Tensor t = Tensor.zeros(DType.F32, Shape.of(c.rank() == i % SIZE ? 5 : COUNT))) {
                    assertThrows(OxbowException.class, () -> group.allReduce(t).await());
                }
            }
            c.world().barrier(Options.DEFAULT).await();
            return null;
        });
    }
}
