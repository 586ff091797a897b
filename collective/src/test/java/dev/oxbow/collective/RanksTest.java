package dev.oxbow.collective;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.collective.JobConfig.TransportKind;
import dev.oxbow.net.RankEnvironment;
import dev.oxbow.net.launch.LaunchConfig;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(300)
final class RanksTest {
    private static final JobConfig CONFIG = JobConfig.defaults()
            .withCommunicator(CommunicatorConfig.DEFAULT.withMeasure(false).withDeadline(Duration.ofSeconds(60)));

    /** Ranks that a launcher started on hosts of {@code perHost} each; they are threads here. */
    private static <T> List<T> onRanks(int size, int perHost, JobConfig config, Callable1<T> work) throws Exception {
        LaunchConfig launch = LaunchConfig.local(size);
        List<Future<T>> results = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(size)) {
            for (int r = 0; r < size; r++) {
                var environment = RankEnvironment.from(launch.environment(r, r % perHost, perHost));
                Callable<T> rank = () -> {
                    try (Communicator c = Ranks.join(environment, config)) {
                        T result = work.call(c);
                        c.world().barrier(Options.DEFAULT).await();
                        return result;
                    }
                };
                results.add(threads.submit(rank));
            }
            List<T> all = new ArrayList<>();
            for (Future<T> f : results) all.add(f.get(100, TimeUnit.SECONDS));
            return all;
        }
    }

    private interface Callable1<T> {
        T call(Communicator c) throws Exception;
    }

    @ParameterizedTest
    @CsvSource({"AUTO, 3, 3", "AUTO, 3, 1", "TCP, 3, 3", "SHM, 3, 3", "AUTO, 1, 1", "TCP, 1, 1"})
    void ranksOfALauncherFindEachOther(TransportKind transport, int size, int perHost) throws Exception {
        List<float[]> sums = onRanks(size, perHost, CONFIG.withTransport(transport), c -> {
            assertEquals(size, c.size());
            try (Tensor x = Tensor.of(Shape.of(2), 1f, c.rank())) {
                c.world().allReduce(x).await();
                return x.floats();
            }
        });
        for (float[] sum : sums) assertArrayEquals(new float[] {size, size * (size - 1) / 2f}, sum);
    }

    @ParameterizedTest
    @CsvSource({"SHM", "TCP"})
    void ranksMayLeaveRightAfterTheLastCollective(TransportKind transport) throws Exception {
        for (int i = 0; i < 15; i++) onRanks(4, 4, CONFIG.withTransport(transport), _ -> null);
    }

    @ParameterizedTest
    @CsvSource({"SHM", "TCP"})
    void elementsOfTheCommunicatorAreZeroAndCanBeReduced(TransportKind transport) throws Exception {
        onRanks(2, 2, CONFIG.withTransport(transport), c -> {
            Elements x = c.allocate(DType.F32, 1000);
            for (int i = 0; i < 1000; i++) assertEquals(0, Memory.getFloat(x.address() + 4L * i));
            Memory.putFloat(x.address() + 4L * 999, 3);
            c.world().allReduce(x, Reduction.SUM, Options.DEFAULT).await();
            assertEquals(6, Memory.getFloat(x.address() + 4L * 999));
            assertEquals(0, c.allocate(DType.I64, 0).count());
            return null;
        });
    }

    @Test
    void aRankThatDoesNotComeIsNamed() {
        LaunchConfig launch = LaunchConfig.local(2);
        for (TransportKind kind : List.of(TransportKind.TCP, TransportKind.SHM)) {
            var environment = RankEnvironment.from(launch.environment(0));
            JobConfig config = CONFIG.withTransport(kind).withTimeout(Duration.ofMillis(300));
            var e = assertThrows(OxbowException.class, () -> Ranks.join(environment, config));
            assertEquals(ErrorCode.DEADLINE_EXCEEDED, e.code());
            assertTrue(e.getMessage().contains("1"), e::getMessage);
        }
    }

    @Test
    void sharedMemoryAcrossHostsIsRefused() {
        var environment = RankEnvironment.from(LaunchConfig.local(4).environment(3, 1, 2));
        var e = assertThrows(
                OxbowException.class, () -> Ranks.join(environment, CONFIG.withTransport(TransportKind.SHM)));
        assertEquals(
                "job: shared memory joins ranks of one host only, but OXBOW_* says that 2 of 4 are on this one",
                e.getMessage());
    }

    @Test
    void theEnvironmentConfigures() {
        JobConfig c = JobConfig.from(Map.of(
                "OXBOW_TRANSPORT",
                "tcp",
                "OXBOW_TIMEOUT",
                "1.5m",
                "OXBOW_BIND",
                "10.0.0.7",
                "OXBOW_TRUSTED_NETWORK",
                "true"));
        assertEquals(TransportKind.TCP, c.transport());
        assertEquals(Duration.ofSeconds(90), c.timeout());
        assertEquals("10.0.0.7", c.bind().orElseThrow());
        assertTrue(c.trustedNetwork());
        assertEquals(TransportKind.AUTO, JobConfig.from(Map.of()).transport());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "OXBOW_TRANSPORT | udp | environment: OXBOW_TRANSPORT must be auto, tcp or shm, got 'udp'",
                "OXBOW_TIMEOUT | soon | environment: OXBOW_TIMEOUT must be a time such as 500ms, 60s or 1.5m, got 'soon'",
                "OXBOW_TRUSTED_NETWORK | maybe | environment: OXBOW_TRUSTED_NETWORK must be true or false, got 'maybe'"
            })
    void wrongVariablesAreNamed(String name, String value, String message) {
        Map<String, String> variables = new HashMap<>(Map.of(name, value));
        var e = assertThrows(OxbowException.class, () -> JobConfig.from(variables));
        assertEquals(message, e.getMessage());
    }

    @Test
    void jobNamesBecomeFileNames() {
        assertEquals("launch-12.a_b", Ranks.fileName("launch-12.a_b"));
        assertTrue(Ranks.fileName("a/b:c").matches("a_b_c-[0-9a-f]+"));
        assertTrue(Ranks.fileName("x".repeat(300)).length() < 100);
    }
}
