package dev.oxbow.cluster.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.runtime.Device;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.tensor.MemoryPool;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients as processes, half of which are killed with all of their sessions open and some steps waiting. */
@Timeout(300)
final class ClientsTest {
    private static final Duration LEASE = Duration.ofSeconds(1);
    private static final Duration LIMIT = Duration.ofSeconds(120);

    /** Collections without effect after which nothing is left to be collected. */
    private static final int IDLE_COLLECTIONS = 5;

    private static final ServerOptions OPTIONS = ServerOptions.defaults()
            .withEngine(EngineOptions.defaults().withThreads(1))
            .withLease(LEASE);

    @Test
    void fourClientsLeaveNothingBehind() throws Exception {
        serve(4, 25);
    }

    @Test
    @Tag("long")
    void tenClientsWithAHundredSessionsEachLeaveNothingBehind() throws Exception {
        serve(10, 100);
    }

    private static void serve(int clients, int sessions) throws Exception {
        try (LocalCluster c = LocalCluster.start(
                LocalCluster.onFreePorts(Map.of("worker", 2)), OPTIONS, LocalCluster.Links.MESSAGES)) {
            run(c, 2, 2); // what is made once, such as threads and pools, is there afterwards
            State before = State.of(c, settled(c));
            run(c, clients, sessions);
            State after = State.of(c, collected(c, before.bytes));
            assertTrue(after.bytes <= before.bytes, "bytes of tensors: " + before.bytes + ", then " + after.bytes);
            assertEquals(before.containers, after.containers, "containers");
            Set<String> more = new TreeSet<>(after.threads);
            more.removeAll(before.threads);
            assertTrue(after.threads.size() <= before.threads.size(), "threads that were not there: " + more);
        }
    }

    /** Has clients come, kills every other one, and waits until nothing of them is left. */
    private static void run(LocalCluster c, int clients, int sessions) throws IOException {
        List<Process> all = new ArrayList<>();
        try {
            for (int i = 0; i < clients; i++) all.add(client(c.target(), sessions, i % 2 == 0));
            for (Process p : all) assertEquals(1, p.getInputStream().read(), "a client has used its sessions");
            Server master = c.server("worker", 0);
            assertEquals(clients / 2 * sessions, master.master().sessions().value(), "sessions of who will be killed");
        } finally {
            all.forEach(Process::destroyForcibly);
        }
        for (Server s : c.servers()) {
            assertTrue(s.master().sessions().await(n -> n == 0, LIMIT), "sessions end with the lease");
            assertTrue(s.localWorker().sessions().await(n -> n == 0, LIMIT), "workers forget them");
            assertTrue(s.localWorker().steps().await(n -> n == 0, LIMIT), "steps end");
            assertEquals(0, s.localWorker().graphCount(), "registered parts");
        }
    }

    private static Process client(String target, int sessions, boolean closes) throws IOException {
        Path classes = Path.of(
                Server.class.getProtectionDomain().getCodeSource().getLocation().getPath());
        List<String> command = new ArrayList<>(
                TaskProcess.java(classes.resolveSibling("test-classes").toString()));
        command.addAll(List.of(ClientProcess.class.getName(), target, "" + sessions, "" + closes));
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    /** The bytes of tensors; those of graphs that are forgotten come back by collections. */
    private static long bytes(LocalCluster c) {
        System.gc();
        long now = MemoryPool.shared().bytesInUse();
        for (Server s : c.servers())
            for (Device d : s.engine().devices()) now += d.memory().bytesInUse();
        return now;
    }

    /** The bytes when collections free no more. */
    private static long settled(LocalCluster c) {
        long least = bytes(c);
        for (int idle = 0; idle < IDLE_COLLECTIONS; idle++) {
            long now = bytes(c);
            if (now >= least) continue;
            least = now;
            idle = 0;
        }
        return least;
    }

    /** The bytes when they are no more than {@code wanted}, or time is up. */
    private static long collected(LocalCluster c, long wanted) {
        long end = System.nanoTime() + LIMIT.toNanos();
        long now = bytes(c);
        while (now > wanted && System.nanoTime() < end) now = bytes(c);
        return now;
    }

    /** What servers hold. */
    private record State(long bytes, long containers, Set<String> threads) {
        static State of(LocalCluster c, long bytes) {
            long containers = 0;
            for (Server s : c.servers())
                for (Device d : s.engine().devices())
                    containers += d.containers().size();
            return new State(
                    bytes,
                    containers,
                    Thread.getAllStackTraces().keySet().stream()
                            .map(Thread::getName)
                            .filter(n -> !n.contains("-slow-")) // these end when they were idle for a while
                            .filter(n -> !n.equals("process reaper")) // the JDK's, which outlive processes by a minute
                            .collect(Collectors.toCollection(TreeSet::new)));
        }
    }
}
