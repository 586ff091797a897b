package dev.oxbow.collective;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import com.google.protobuf.Message;
import dev.oxbow.graph.Graph;
import dev.oxbow.kernels.WarmLoop;
import dev.oxbow.net.Mesh;
import dev.oxbow.ops.Ops;
import dev.oxbow.runtime.Session;
import dev.oxbow.tensor.Memory;
import dev.oxbow.wire.proto.GraphDef;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assertions;
import org.slf4j.Logger;

/** The {@link RankProcess}es of one job, and what they print. */
final class Processes implements AutoCloseable {
    private static final AtomicInteger JOBS = new AtomicInteger();
    private static final long LIMIT = 120;
    /** Comes after the last line. */
    private static final String END = "";

    private final Wiring wiring;
    private final RankProcess.Task task;
    private final String job =
            "processes-%d-%d".formatted(ProcessHandle.current().pid(), JOBS.incrementAndGet());
    private final Path directory;
    private final Process[] processes;
    private final List<BlockingQueue<String>> lines = new ArrayList<>();
    private final ConcurrentLinkedQueue<String> everything = new ConcurrentLinkedQueue<>();

    Processes(Wiring wiring, int size, RankProcess.Task task, Path directory) {
        this.wiring = wiring;
        this.task = task;
        this.directory = directory;
        processes = new Process[size];
        for (int r = 0; r < size; r++) lines.add(new LinkedBlockingQueue<>());
    }

    /** Starts a rank on loopback. */
    void start(int rank, long joinMillis) throws IOException {
        start(rank, joinMillis, "127.0.0.1", List.of());
    }

    /** Starts a rank that listens on an address, through a command such as {@code ip netns exec}. */
    void start(int rank, long joinMillis, String address, List<String> through) throws IOException {
        List<String> command = new ArrayList<>(through);
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--add-modules=jdk.incubator.vector",
                "--enable-native-access=ALL-UNNAMED",
                "-Xmx64m",
                "-XX:+UseSerialGC",
                "-Xshare:auto",
                "-cp",
                classPath(),
                RankProcess.class.getName(),
                wiring.name(),
                job,
                Integer.toString(rank),
                Integer.toString(processes.length),
                directory.toString(),
                address,
                Long.toString(joinMillis),
                task.name()));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        processes[rank] = process;
        Thread.ofPlatform().daemon().start(() -> read(rank, process)); // a virtual one keeps a carrier
    }

    private void read(int rank, Process process) {
        try (BufferedReader reader = process.inputReader()) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                everything.add("rank " + rank + ": " + line);
                if (!line.isEmpty()) lines.get(rank).add(line);
            }
        } catch (IOException e) {
            everything.add("rank " + rank + ": " + e);
        }
        lines.get(rank).add(END);
    }

    private static String classPath() {
        Path classes = location(Communicator.class);
        return Stream.of(
                        classes,
                        classes.resolveSibling("test-classes"),
                        location(Mesh.class),
                        location(Memory.class),
                        location(WarmLoop.class),
                        location(GraphDef.class),
                        location(Message.class),
                        location(Graph.class),
                        location(Ops.class),
                        location(Session.class),
                        location(Logger.class),
                        location(Assertions.class))
                .map(Path::toString)
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static Path location(Class<?> type) {
        try {
            return Path.of(
                    type.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (URISyntaxException e) {
            throw new AssertionError(e);
        }
    }

    /** The next line of a rank that begins so, without its beginning. */
    String await(int rank, String beginning) {
        try {
            while (true) {
                String line = lines.get(rank).poll(LIMIT, TimeUnit.SECONDS);
                if (line == null || line.equals(END))
                    fail("rank %d does not say '%s':%n%s".formatted(rank, beginning, all()));
                if (line.startsWith(beginning))
                    return line.substring(beginning.length()).strip();
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Waits until all ranks have summed a few times. */
    void awaitRunning() {
        awaitAlive("running");
    }

    /** Waits until all ranks say a line before which none may be lost. */
    void awaitAlive(String awaited) {
        for (int r = 0; r < processes.length; r++) {
            for (String line = await(r, ""); !line.equals(awaited); line = await(r, ""))
                if (line.startsWith("error UNAVAILABLE ") || line.startsWith("error ABORTED "))
                    throw new NotRunning(all());
        }
    }

    /** A rank was lost to the others before anything was done to it: the machine had no time for it. */
    static final class NotRunning extends AssertionError {
        private static final long serialVersionUID = 1;

        private NotRunning(String lines) {
            super(lines);
        }
    }

    /** Sends a signal to a rank. */
    void signal(int rank, String name) throws IOException {
        run("kill", "-" + name, Long.toString(processes[rank].pid()));
    }

    /** Runs a command, which must end well. */
    static void run(String... command) throws IOException {
        assertEquals(0, exitOf(command), () -> String.join(" ", command));
    }

    static int exitOf(String... command) throws IOException {
        try {
            return new ProcessBuilder(command).inheritIO().start().waitFor();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Waits for the end of a rank; what it exited with. */
    int exit(int rank) {
        try {
            if (!processes[rank].waitFor(LIMIT, TimeUnit.SECONDS))
                throw new AssertionError("rank " + rank + " does not end:\n" + all());
            return processes[rank].exitValue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    String all() {
        return String.join("\n", everything);
    }

    @Override
    public void close() {
        for (Process p : processes) if (p != null) p.destroyForcibly();
        for (int r = 0; r < processes.length; r++) if (processes[r] != null) exit(r);
    }
}
