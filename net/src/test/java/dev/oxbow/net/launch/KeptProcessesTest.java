package dev.oxbow.net.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Processes that are started again when they end or do not answer. */
@Timeout(300)
@DisabledOnOs(OS.WINDOWS)
final class KeptProcessesTest {
    private static final Duration LONG = Duration.ofMinutes(4);

    private final LinkedBlockingQueue<String> told = new LinkedBlockingQueue<>();

    private KeptProcesses keep(List<String> command, Supplier<Set<Integer>> answering, Duration silence, int most) {
        return new KeptProcesses(LaunchConfig.local(1), command, (_, _, _) -> {}, answering, silence, most, told::add);
    }

    private String told() throws InterruptedException {
        String said = told.poll(120, TimeUnit.SECONDS);
        assertNotNull(said, "nothing is told");
        return said;
    }

    @Test
    void oneThatIsKilledIsStartedAgain() throws Exception {
        try (KeptProcesses all = keep(List.of("sleep", "1000"), () -> Set.of(0), LONG, 5)) {
            long first = all.pids().getFirst();
            ProcessHandle.of(first).orElseThrow().destroyForcibly();
            assertEquals("server 0 ended with status 137 (signal 9), and is started again", told());
            AtomicInteger looks = new AtomicInteger();
            while (all.pids().getFirst() == 0 && looks.incrementAndGet() < 1_000_000_000) Thread.onSpinWait();
            long second = all.pids().getFirst();
            assertNotEquals(first, second);
            assertTrue(ProcessHandle.of(second).orElseThrow().isAlive());
        }
    }

    @Test
    void oneThatAnswersNoMoreIsKilledAndStartedAgain() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        Supplier<Set<Integer>> once = () -> asked.getAndIncrement() == 0 ? Set.of(0) : Set.of();
        try (KeptProcesses _ = keep(List.of("sleep", "1000"), once, Duration.ofMillis(200), 5)) {
            assertEquals("server 0 gave no answer for PT0.2S, so it is killed", told());
            assertEquals("server 0 ended with status 137 (signal 9), and is started again", told());
        }
    }

    @Test
    void oneThatFailsSoOftenInARowIsGivenUp() throws Exception {
        try (KeptProcesses all = keep(List.of("sh", "-c", "exit 3"), Set::of, LONG, 2)) {
            assertEquals("server 0 ended with status 3, and is started again", told());
            assertEquals("server 0 ended with status 3; it has failed 2 times in a row", told());
            assertEquals("server 0 ended with status 3; it has failed 2 times in a row", all.failure());
        }
    }
}
