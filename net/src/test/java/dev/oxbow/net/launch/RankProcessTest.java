package dev.oxbow.net.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
final class RankProcessTest {
    private static final String LAST_WORDS =
            "trap 'for i in $(seq 5000); do echo word $i; done; exit 7' TERM; echo ready; while :; do sleep 0.02; done";

    @Test
    void whatARankPrintsWhenItIsAskedToEndIsPassedOnToTheLastLine() throws Exception {
        List<String> lines = Collections.synchronizedList(new ArrayList<>());
        CountDownLatch ready = new CountDownLatch(1);
        Process process = new ProcessBuilder("bash", "-c", LAST_WORDS).start();
        try {
            RankProcess rank = new RankProcess(3, process, (_, _, text) -> {
                lines.add(text);
                ready.countDown();
            });
            assertTrue(ready.await(30, TimeUnit.SECONDS));
            assertEquals(List.of("errors of rank 3", "output of rank 3"), platformThreadsOf(3));
            rank.stop(false);
            assertTrue(process.waitFor(30, TimeUnit.SECONDS));
            rank.drain(Duration.ofSeconds(30));
            assertEquals(7, process.exitValue());
            List<String> expected = new ArrayList<>(List.of("ready"));
            IntStream.rangeClosed(1, 5000).forEach(i -> expected.add("word " + i));
            assertEquals(expected, lines);
            assertEquals("word 5000", rank.lastLines().getLast());
        } finally {
            process.destroyForcibly();
        }
    }

    /** Virtual ones that read pipes would keep the carriers from all others. */
    private static List<String> platformThreadsOf(int rank) {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(n -> n.endsWith(" of rank " + rank))
                .sorted()
                .toList();
    }
}
