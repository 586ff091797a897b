package dev.oxbow.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.oxbow.train.ElasticLog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
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

/** Training by processes that are killed, stopped, and come and go; every batch counts once, and the model is as good. */
@Timeout(500)
@DisabledOnOs(OS.WINDOWS)
final class ElasticTrainingTest {
    private static final int BATCHES = 45;
    private static final Pattern ACCURACY = Pattern.compile("test accuracy ([0-9.]+) %");

    @TempDir
    private Path folder;

    private Path events() {
        return folder.resolve("events");
    }

    private Process start(String... more) throws IOException {
        List<String> arguments =
                new ArrayList<>(List.of("train", "--events", events().toString(), "--lost-after", "4s"));
        arguments.addAll(List.of(more));
        ProcessBuilder b = new ProcessBuilder(JavaCommand.ours(arguments))
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("out").toFile());
        b.environment().put("OXBOW_THREADS", "1");
        return b.start();
    }

    /** What the job printed, and how good its model is. */
    private double end(Process job, int epochs) throws IOException, InterruptedException {
        assertTrue(job.waitFor(400, TimeUnit.SECONDS), () -> "it has not ended: " + text());
        assertEquals(0, job.exitValue(), this::text);
        ElasticLog.Account account = ElasticLog.account(events());
        assertEquals(List.of(), account.missing(), this::text);
        assertEquals(List.of(), account.lost(), this::text);
        assertEquals(List.of(), account.twice(), this::text);
        assertEquals((long) BATCHES * epochs, account.steps(), this::text);
        Matcher m = ACCURACY.matcher(text());
        assertTrue(m.find(), this::text);
        return Double.parseDouble(m.group(1));
    }

    private String text() {
        try {
            return Files.readString(folder.resolve("out"));
        } catch (IOException e) {
            return e.toString();
        }
    }

    /** A process that trains: where it began, and how far it has got. */
    private record Member(long pid, int generation, int rank, int ranks, long step) {}

    /** Those of the newest generation that has done a step, by rank. */
    private List<Member> members() throws IOException {
        TreeMap<Integer, List<Member>> all = new TreeMap<>();
        if (!Files.exists(events())) return List.of();
        try (Stream<Path> files = Files.list(events())) {
            for (Path f : files.toList()) {
                JsonObject begin = null, last = null;
                for (String line : Files.readAllLines(f)) {
                    if (!line.endsWith("}")) continue;
                    JsonObject said = JsonParser.parseString(line).getAsJsonObject();
                    if (said.has("pid")) begin = said;
                    if (said.has("pid") || said.has("step")) last = said; // others tell how many batches an epoch has
                }
                if (begin == null || last == begin) continue;
                int g = begin.get("generation").getAsInt();
                all.computeIfAbsent(g, _ -> new ArrayList<>())
                        .add(new Member(
                                begin.get("pid").getAsLong(),
                                g,
                                begin.get("rank").getAsInt(),
                                begin.get("ranks").getAsInt(),
                                last.get("step").getAsLong()));
            }
        }
        return all.isEmpty() ? List.of() : all.lastEntry().getValue();
    }

    private List<Member> await(Process job, Predicate<List<Member>> until) throws IOException {
        for (int i = 0; i < 6000; i++) {
            List<Member> now = members();
            if (until.test(now)) return now;
            assertTrue(job.isAlive(), this::text);
            LockSupport.parkNanos(20_000_000);
        }
        throw new AssertionError("it did not get there: " + text());
    }

    private static void signal(String name, long pid) throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-" + name, Long.toString(pid)).start().waitFor();
    }

    @Test
    void theFirstRankIsKilledAndTheOthersGoOnFromTheLastStep() throws Exception {
        Process job = start("--elastic", "1:2", "--epochs", "20");
        try {
            List<Member> first = await(job, m -> m.size() == 2 && m.getFirst().step >= 20);
            Member zero = first.stream().filter(m -> m.rank == 0).findFirst().orElseThrow();
            signal("KILL", zero.pid);
            List<Member> next = await(job, m -> !m.isEmpty() && m.getFirst().generation > zero.generation);
            assertTrue(next.getFirst().step >= 20, this::text);
            assertTrue(end(job, 20) > 97, this::text);
        } finally {
            job.descendants().forEach(ProcessHandle::destroyForcibly);
            job.destroyForcibly();
        }
    }

    @Test
    void whatIsWrongInEveryProcessEndsTheJobWithItsReason() throws Exception {
        Process job = start("--elastic", "1:1", "--rate", "1e30", "--optimizer", "sgd", "--resets", "2");
        assertTrue(job.waitFor(200, TimeUnit.SECONDS), this::text);
        assertEquals(5, job.exitValue(), this::text);
        assertTrue(text().contains("the job gives up: "), this::text);
        assertTrue(text().contains("gives a loss of"), this::text);
    }

    @Tag("long")
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void fourWorkersTrainThroughFiveFaults(int seed) throws Exception {
        assumeTrue(Connections.canCut(), "connections can not be cut here: that takes root, and ss");
        Random random = new Random(seed);
        Process job = start("--elastic", "2:4", "--epochs", "200", "--transport", "tcp");
        try {
            for (int fault = 0; fault < 5; fault++) {
                int wanted = fault;
                List<Member> now =
                        await(job, m -> m.size() >= 2 && m.getFirst().generation > wanted && m.getFirst().ranks >= 2);
                Member victim = fault == 0
                        ? now.stream().filter(m -> m.rank == 0).findFirst().orElse(now.getFirst())
                        : now.get(random.nextInt(now.size()));
                switch ((fault + seed) % 3) {
                    case 0 -> signal("KILL", victim.pid);
                    case 1 -> signal("STOP", victim.pid);
                    default -> assertTrue(Connections.cut(victim.pid), this::text);
                }
                await(job, m -> !m.isEmpty() && m.getFirst().generation > victim.generation);
            }
            assertTrue(end(job, 200) > 97.4, this::text); // undisturbed: 98.89
        } finally {
            job.descendants().forEach(ProcessHandle::destroyForcibly);
            job.destroyForcibly();
        }
    }

    @Tag("long")
    @Test
    void aJobFollowsItsHostsFromTwoToFourToThreeWorkers() throws Exception {
        Path hosts = Files.writeString(folder.resolve("hosts"), "localhost slots=2\n");
        Process job = start("--elastic", "2:4", "--hosts", hosts.toString(), "--epochs", "200");
        try {
            await(job, m -> m.size() == 2 && m.getFirst().ranks == 2);
            Files.writeString(hosts, "localhost slots=4\n");
            await(job, m -> m.size() == 4 && m.getFirst().ranks == 4);
            Files.writeString(hosts, "localhost slots=3\n");
            await(job, m -> m.size() == 3 && m.getFirst().ranks == 3);
            assertTrue(end(job, 200) > 97.4, this::text);
        } finally {
            job.descendants().forEach(ProcessHandle::destroyForcibly);
            job.destroyForcibly();
        }
    }
}
