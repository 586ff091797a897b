package dev.oxbow.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.oxbow.train.ElasticLog;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Training by parameter servers that are killed and stopped, and so are their workers; no batch is lost. */
@Timeout(600)
@DisabledOnOs(OS.WINDOWS)
final class ElasticServersTest {
    private static final int BATCHES = 45;
    private static final Pattern ACCURACY = Pattern.compile("test accuracy ([0-9.]+) %");

    @TempDir
    private Path folder;

    private Path events() {
        return folder.resolve("events");
    }

    private Process start(String... more) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("train", "--servers", "2", "--lost-after", "10s"));
        arguments.addAll(List.of("--events", events().toString(), "--checkpoint-every", "40"));
        arguments.addAll(List.of("--checkpoints", folder.resolve("kept").toString()));
        arguments.addAll(List.of(more));
        return begin(arguments);
    }

    private Process begin(List<String> arguments) throws IOException {
        ProcessBuilder b = new ProcessBuilder(JavaCommand.ours(arguments))
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("out").toFile());
        b.environment().put("OXBOW_THREADS", "1");
        return b.start();
    }

    private String text() {
        try {
            return Files.readString(folder.resolve("out"));
        } catch (IOException e) {
            return e.toString();
        }
    }

    /** How good the model is of a job that has trained on every batch. */
    private double end(Process job, int epochs, boolean together) throws IOException, InterruptedException {
        assertTrue(job.waitFor(500, TimeUnit.SECONDS), () -> "it has not ended: " + text());
        assertEquals(0, job.exitValue(), this::text);
        ElasticLog.Account account = ElasticLog.account(events());
        assertEquals(List.of(), account.lost(), this::text);
        assertEquals(List.of(), account.missing(), this::text);
        assertEquals((long) BATCHES * epochs, account.batches(), this::text);
        if (together) {
            assertEquals(List.of(), account.twice(), this::text);
            assertEquals((long) BATCHES * epochs, account.steps(), this::text);
        }
        Matcher m = ACCURACY.matcher(text());
        assertTrue(m.find(), this::text);
        return Double.parseDouble(m.group(1));
    }

    /** How many lines of steps and batches there are. */
    private long done() throws IOException {
        if (!Files.exists(events())) return 0;
        long all = 0;
        try (Stream<Path> files = Files.list(events())) {
            for (Path f : files.toList())
                all += Files.readAllLines(f).stream()
                        .filter(l -> l.contains("\"step\"") || l.contains("\"batch\":"))
                        .count();
        }
        return all;
    }

    private void await(Process job, long lines) throws IOException {
        for (int i = 0; i < 10_000; i++) {
            if (done() >= lines) return;
            assertTrue(job.isAlive(), this::text);
            LockSupport.parkNanos(20_000_000);
        }
        throw new AssertionError("it did not get there: " + text());
    }

    /** Those of a job that run such a command; the JDK does not tell arguments of more than a page, so the system is asked. */
    private static List<ProcessHandle> children(Process job, String command) {
        return job.children()
                .filter(p -> arguments(p).contains(command))
                .sorted((a, b) -> Long.compare(a.pid(), b.pid()))
                .toList();
    }

    private static List<String> arguments(ProcessHandle p) {
        Path all = Path.of("/proc/" + p.pid() + "/cmdline");
        try {
            if (!Files.exists(all)) return List.of(p.info().arguments().orElse(new String[0]));
            return List.of(Files.readString(all, StandardCharsets.ISO_8859_1).split("\0"));
        } catch (IOException e) {
            return List.of(); // it has ended
        }
    }

    /** The first child with a command; one that is being started again is waited for. */
    private ProcessHandle child(Process job, String command) {
        for (int i = 0; i < 10_000; i++) {
            List<ProcessHandle> all = children(job, command);
            if (!all.isEmpty()) return all.getFirst();
            assertTrue(job.isAlive(), this::text);
            LockSupport.parkNanos(20_000_000);
        }
        throw new AssertionError("no " + command + " is there: " + text());
    }

    private static void signal(String name, ProcessHandle victim) throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-" + name, Long.toString(victim.pid()))
                .start()
                .waitFor();
    }

    private static void end(Process job) {
        job.descendants().forEach(ProcessHandle::destroyForcibly);
        job.destroyForcibly();
    }

    @Test
    void aServerIsKilledAndComesBackFromTheNewestCheckpoint() throws Exception {
        Process job = start("--plan", "ps-async", "--elastic", "1:2", "--epochs", "20");
        try {
            await(job, 120);
            signal("KILL", child(job, "server"));
            assertTrue(end(job, 20, false) > 95, this::text);
            assertTrue(text().contains("have lost what they held: it is restored"), this::text);
            assertTrue(text().contains("ended with status 137 (signal 9), and is started again"), this::text);
        } finally {
            end(job);
        }
    }

    @Test
    void aServerThatIsLostEndsAJobThatIsNotElasticAndIsNamed() throws Exception {
        Process job = begin(List.of("train", "--plan", "ps", "--workers", "2", "--servers", "2", "--epochs", "2000"));
        try {
            for (int i = 0; i < 10_000 && !text().contains("training"); i++) {
                assertTrue(job.isAlive(), this::text);
                LockSupport.parkNanos(20_000_000);
            }
            ProcessHandle server = child(job, "server");
            List<ProcessHandle> all = job.descendants().toList();
            signal("KILL", server);
            assertTrue(job.waitFor(60, TimeUnit.SECONDS), () -> "it has not ended: " + text());
            assertEquals(5, job.exitValue(), this::text);
            String name = "server 0 (process %d) ended with status 137 (signal 9)".formatted(server.pid());
            assertTrue(text().contains(name), this::text);
            assertTrue(all.stream().noneMatch(ProcessHandle::isAlive), "something is left behind");
        } finally {
            end(job);
        }
    }

    @Tag("long")
    @Test
    void aWorkerThatStandsStillIsNamedWithinTheTimeThatIsSaid() throws Exception {
        List<String> arguments =
                new ArrayList<>(List.of("train", "--plan", "ps", "--workers", "3", "--epochs", "20000"));
        arguments.addAll(List.of("--lost-after", "30s"));
        Process job = begin(arguments);
        try {
            for (int i = 0; i < 10_000 && !text().contains("training"); i++) {
                assertTrue(job.isAlive(), this::text);
                LockSupport.parkNanos(20_000_000);
            }
            signal("STOP", children(job, "train").getLast()); // the last one: others say what they wait for
            assertTrue(job.waitFor(200, TimeUnit.SECONDS), () -> "it has not ended: " + text());
            assertEquals(5, job.exitValue(), this::text);
            assertTrue(text().contains("30.0 s") || text().contains("PT30S"), this::text);
            assertTrue(text().contains("others wait for workers [2] at the servers"), this::text);
        } finally {
            end(job);
        }
    }

    @Tag("long")
    @ParameterizedTest
    @ValueSource(strings = {"ps", "ps-async", "ps-stale:4"})
    void serversAndWorkersAreKilledAndStopped(String plan) throws Exception {
        Process job = start("--plan", plan, "--workers", "2", "--elastic", "1:4", "--epochs", "40");
        try {
            await(job, 150);
            signal("KILL", children(job, "train").getFirst());
            await(job, 500);
            signal("KILL", children(job, "server").getLast());
            await(job, 900);
            signal("STOP", children(job, "train").getLast());
            await(job, 1300);
            signal("STOP", children(job, "server").getFirst());
            assertTrue(end(job, 40, plan.equals("ps")) > 97, this::text);
        } finally {
            end(job);
        }
    }

    /** Two servers and four workers, of which one is killed, stopped or cut off five times while the job runs; undisturbed 98.89. */
    @Tag("long")
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void aJobThatWaitsForNobodyTrainsThroughFiveFaults(int seed) throws Exception {
        assumeTrue(Connections.canCut(), "connections can not be cut here: that takes root, and ss");
        Random random = new Random(seed);
        int epochs = 60;
        Process job = start("--plan", "ps-async", "--workers", "4", "--elastic", "2:4", "--epochs", "" + epochs);
        try {
            for (int fault = 0; fault < 5; fault++) {
                await(job, 200 + 400L * fault);
                List<ProcessHandle> among = children(job, fault % 2 == 0 ? "server" : "train");
                ProcessHandle victim = fault == 1 ? among.getFirst() : among.get(random.nextInt(among.size()));
                switch ((fault + seed) % 3) {
                    case 0 -> signal("KILL", victim);
                    case 1 -> signal("STOP", victim);
                    default -> assertTrue(Connections.cut(victim.pid()), this::text);
                }
            }
            double accuracy = end(job, epochs, false);
            assertTrue(accuracy > 97.4, this::text);
        } finally {
            end(job);
        }
    }
}
