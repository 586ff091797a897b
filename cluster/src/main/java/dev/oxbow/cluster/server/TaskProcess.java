package dev.oxbow.cluster.server;

import static dev.oxbow.tensor.ErrorCode.DEADLINE_EXCEEDED;
import static dev.oxbow.tensor.ErrorCode.UNAVAILABLE;
import static dev.oxbow.tensor.ErrorCode.UNIMPLEMENTED;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.cluster.ClusterSpec;
import dev.oxbow.cluster.TaskName;
import dev.oxbow.cluster.link.LinkOptions;
import dev.oxbow.cluster.rpc.Security;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.wire.proto.ClusterDef;
import java.io.File;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * One task of a cluster in a child process. The child says that it listens by one byte, and ends when its standard input
 * does, so it outlives nobody.
 */
public final class TaskProcess implements AutoCloseable {
    private static final Duration START = Duration.ofMinutes(3);
    private static final Duration END = Duration.ofSeconds(10);

    private final TaskName task;
    private final Process process;
    private final CompletableFuture<Integer> ready = new CompletableFuture<>();

    /** Starts the task with so much of {@code options} as can be told to another process; see {@link #await}. */
    TaskProcess(ClusterSpec cluster, TaskName task, ServerOptions options) {
        require(
                options.security().equals(Security.NONE) && options.bind() == null,
                UNIMPLEMENTED,
                "cluster: a task in a child process has no certificates and no token, and listens on loopback only");
        this.task = task;
        List<String> command = new ArrayList<>(java(""));
        command.addAll(List.of(
                TaskProcess.class.getName(),
                Base64.getEncoder().encodeToString(cluster.definition().toByteArray()),
                task.job(),
                Integer.toString(task.task()),
                Integer.toString(options.engine().threads()),
                Integer.toString(options.engine().cpuDevices()),
                Integer.toString(options.eventLoops()),
                Long.toString(options.master().lease().toMillis()),
                Boolean.toString(options.links().on()),
                Long.toString(options.links().laneBytes()),
                Long.toString(options.links().lostAfter().toMillis())));
        try {
            this.process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
        } catch (IOException e) {
            throw new OxbowException(UNAVAILABLE, "cluster: %s can not be started: %s".formatted(task, e), e);
        }
        Thread.ofPlatform().daemon().name("start of " + task).start(() -> {
            try {
                ready.complete(process.getInputStream().read());
            } catch (IOException e) {
                ready.completeExceptionally(e);
            }
        });
    }

    /** The JVM of this process with its class path, whether that was given as classes or as modules, and some more. */
    static List<String> java(String more) {
        String modules = Stream.of(System.getProperty("jdk.module.path", "").split(Pattern.quote(File.pathSeparator)))
                .map(m -> isFolderOfJars(m) ? m + File.separator + "*" : m)
                .collect(Collectors.joining(File.pathSeparator));
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--add-modules=jdk.incubator.vector",
                "--enable-native-access=ALL-UNNAMED",
                "-XX:+UseSerialGC",
                "-cp",
                String.join(File.pathSeparator, System.getProperty("java.class.path", ""), modules, more));
    }

    private static boolean isFolderOfJars(String path) {
        return Files.isDirectory(Path.of(path)) && !Files.exists(Path.of(path, "module-info.class"));
    }

    /** Waits until the task listens. */
    void await() {
        try {
            int first = ready.get(START.toNanos(), TimeUnit.NANOSECONDS);
            require(first >= 0, UNAVAILABLE, "cluster: the process of %s ended before it listened", task);
        } catch (TimeoutException e) {
            throw new OxbowException(
                    DEADLINE_EXCEEDED, "cluster: %s does not listen after %s".formatted(task, START), e);
        } catch (ExecutionException e) {
            throw new OxbowException(UNAVAILABLE, "cluster: %s: %s".formatted(task, e.getCause()), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new OxbowException(UNAVAILABLE, "cluster: interrupted before %s listened".formatted(task), e);
        }
    }

    public TaskName task() {
        return task;
    }

    public long pid() {
        return process.pid();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** Ends it without a word, as a crash does, and waits until it has ended. */
    public void kill() {
        process.destroyForcibly().onExit().join();
    }

    /** Has it stand still until {@link #resume}; its system still takes what others send. */
    public void stop() {
        signal("STOP");
    }

    public void resume() {
        signal("CONT");
    }

    private void signal(String name) {
        try {
            int status = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                    .inheritIO()
                    .start()
                    .waitFor();
            require(status == 0, UNAVAILABLE, "cluster: %s can not be sent SIG%s", task, name);
        } catch (IOException e) {
            throw new OxbowException(UNAVAILABLE, "cluster: %s can not be sent SIG%s: %s".formatted(task, name, e), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Has it close its server and end; kills it where it does not. */
    @Override
    public void close() {
        try {
            process.getOutputStream().close();
            if (!process.waitFor(END.toNanos(), TimeUnit.NANOSECONDS)) kill();
        } catch (IOException e) {
            kill();
        } catch (InterruptedException e) {
            kill();
            Thread.currentThread().interrupt();
        }
    }

    /** The child. */
    public static void main(String[] a) throws IOException {
        ClusterSpec cluster =
                ClusterSpec.of(ClusterDef.parseFrom(Base64.getDecoder().decode(a[0])));
        ServerOptions options = ServerOptions.defaults()
                .withEngine(EngineOptions.defaults()
                        .withThreads(Integer.parseInt(a[3]))
                        .withCpuDevices(Integer.parseInt(a[4])))
                .withEventLoops(Integer.parseInt(a[5]))
                .withLease(Duration.ofMillis(Long.parseLong(a[6])))
                .withLinks(LinkOptions.defaults()
                        .withOn(Boolean.parseBoolean(a[7]))
                        .withLaneBytes(Long.parseLong(a[8]))
                        .withLostAfter(Duration.ofMillis(Long.parseLong(a[9]))));
        try (Server _ = new Server(cluster, new TaskName(a[1], Integer.parseInt(a[2])), options);
                FileOutputStream out = new FileOutputStream(FileDescriptor.out)) {
            out.write(1);
            for (int b = System.in.read(); b >= 0; ) b = System.in.read();
        }
    }
}
