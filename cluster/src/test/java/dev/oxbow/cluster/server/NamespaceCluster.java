package dev.oxbow.cluster.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Tasks in processes, each in a network of its own, that meet at a bridge: so that one can be cut off as by pulling its
 * cable. Wants to be root, and the command {@code ip}.
 */
final class NamespaceCluster implements AutoCloseable {
    private static final int PORT = 2222;

    private static final AtomicInteger COUNT = new AtomicInteger();

    private final String tag =
            "ox%d%c".formatted(ProcessHandle.current().pid() % 10_000, 'a' + COUNT.getAndIncrement());
    private final int net = (int) (ProcessHandle.current().pid() % 200);
    private final List<String> jobs;
    private final int lostAfterMillis;
    private final Map<String, Process> processes = new LinkedHashMap<>();

    /** One task of each job. */
    NamespaceCluster(List<String> jobs, int lostAfterMillis) {
        this.jobs = jobs;
        this.lostAfterMillis = lostAfterMillis;
        try {
            ip("link add %s type bridge".formatted(tag));
            ip("addr add 10.213.%d.254/24 dev %s".formatted(net, tag));
            ip("link set %s up".formatted(tag));
            for (String job : jobs) {
                String ns = tag + job, cable = cable(job);
                ip("netns add " + ns);
                ip("link add %s type veth peer name eth0 netns %s".formatted(cable, ns));
                ip("link set %s master %s up".formatted(cable, tag));
                ip("-n %s addr add %s/24 dev eth0".formatted(ns, host(job)));
                ip("-n %s link set eth0 up".formatted(ns));
                ip("-n %s link set lo up".formatted(ns));
            }
            for (String job : jobs) processes.put(job, start(job));
            for (String job : jobs) await(job);
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    /** Whether such networks can be made here. */
    static boolean isPossible() {
        try {
            return run(List.of("ip", "netns", "add", "oxprobe")) == 0
                    && run(List.of("ip", "netns", "del", "oxprobe")) == 0;
        } catch (UncheckedIOException e) {
            return false;
        }
    }

    private static int run(List<String> command) {
        try {
            Process p = new ProcessBuilder(command).redirectErrorStream(true).start();
            p.getInputStream().readAllBytes();
            return p.waitFor();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private static void ip(String arguments) {
        List<String> command = new ArrayList<>(List.of("ip"));
        command.addAll(List.of(arguments.split(" ")));
        int status = run(command);
        if (status != 0) throw new IllegalStateException("ip " + arguments + ": status " + status);
    }

    private String cable(String job) {
        return tag + "v" + jobs.indexOf(job);
    }

    private String host(String job) {
        return "10.213.%d.%d".formatted(net, 1 + jobs.indexOf(job));
    }

    String target(String job) {
        return "grpc://%s:%d".formatted(host(job), PORT);
    }

    private Process start(String job) {
        StringBuilder spec = new StringBuilder("{");
        for (String j : jobs)
            spec.append(spec.length() == 1 ? "" : ",").append("\"%s\": [\"%s:%d\"]".formatted(j, host(j), PORT));
        Path classes = Path.of(
                Server.class.getProtectionDomain().getCodeSource().getLocation().getPath());
        List<String> command = new ArrayList<>(List.of("ip", "netns", "exec", tag + job));
        command.addAll(TaskProcess.java(classes.resolveSibling("test-classes").toString()));
        command.addAll(List.of(BoundTask.class.getName(), spec + "}", job, "0", "" + lostAfterMillis));
        try {
            return new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void await(String job) {
        try {
            if (processes.get(job).getInputStream().read() != 1)
                throw new IllegalStateException(job + " does not listen");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void kill(String job) {
        processes.get(job).destroyForcibly().onExit().join();
    }

    void stop(String job) {
        run(List.of("kill", "-STOP", "" + processes.get(job).pid()));
    }

    /** Nothing goes to the task or comes from it any more; its process goes on. */
    void cut(String job) {
        ip("link set %s down".formatted(cable(job)));
    }

    /** Undoes whatever was done to a task; one that was killed is started again. */
    void heal(String job) {
        ip("link set %s up".formatted(cable(job)));
        if (processes.get(job).isAlive())
            run(List.of("kill", "-CONT", "" + processes.get(job).pid()));
        else {
            processes.put(job, start(job));
            await(job);
        }
    }

    @Override
    public void close() {
        try {
            for (Process p : processes.values()) {
                p.destroyForcibly();
                p.waitFor(10, TimeUnit.SECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        for (String job : jobs) {
            run(List.of("ip", "link", "del", cable(job)));
            run(List.of("ip", "netns", "del", tag + job));
        }
        run(List.of("ip", "link", "del", tag));
    }
}
