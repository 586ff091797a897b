package dev.oxbow.cli;

import com.google.gson.stream.JsonWriter;
import dev.oxbow.cluster.ClusterSpec;
import dev.oxbow.cluster.TaskName;
import dev.oxbow.cluster.server.ClusterStatus;
import dev.oxbow.wire.proto.TaskStatus;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code oxbow status --cluster FILE}: shows how the tasks of a cluster are; exits with 5 where one does not answer. */
@Command(
        name = "status",
        description = "Show the tasks of a cluster: devices, memory, sessions, steps, and who waits for whom.",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        footer = {
            "",
            "Waits are values that a step wants and another task has not made, longest first; who is shown waits for whom.",
            "The status is 5 where a task does not answer.",
            "",
            "Examples:",
            "  oxbow status --cluster cluster.json",
            "  oxbow status --address 127.0.0.1:2222 --json"
        })
final class StatusCommand implements Callable<Integer> {
    private static final int MOST_WAITS = 10;

    @Spec
    private CommandSpec spec;

    @Option(names = "--cluster", paramLabel = "FILE", description = "Who the tasks are, in JSON.")
    private Path cluster;

    @Option(names = "--address", paramLabel = "HOST:PORT", description = "Instead of --cluster: the only task.")
    private String address;

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            converter = DurationText.class,
            description = "How long to wait for a task (default 5s).")
    private Duration timeout = Duration.ofSeconds(5);

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Mixin
    private SecurityOptions security;

    @Override
    public Integer call() throws IOException {
        if ((cluster == null) == (address == null))
            throw new ParameterException(spec.commandLine(), "wants --cluster or --address");
        ClusterSpec all = cluster == null
                ? ClusterSpec.of("local", List.of(address))
                : ClusterSpec.json(security.read(spec, cluster));
        Map<TaskName, ClusterStatus.Answer> answers =
                ClusterStatus.ask(all, security.of(spec, System.getenv()), timeout);
        PrintWriter out = spec.commandLine().getOut();
        if (json) write(answers, out);
        else print(answers, out);
        out.flush();
        return answers.values().stream().anyMatch(a -> a.error() != null) ? 5 : 0;
    }

    private static void print(Map<TaskName, ClusterStatus.Answer> answers, PrintWriter out) {
        List<TaskStatus.Wait> waits = new ArrayList<>();
        answers.forEach((task, a) -> {
            if (a.error() != null) {
                out.printf("%s%n  does not answer: %s%n", task, a.error().text());
                return;
            }
            TaskStatus s = a.status();
            out.printf(
                    "%s  process %d, up %.0f s, incarnation %016x%n",
                    s.getTask(), s.getProcess(), s.getUpNanos() / 1e9, s.getIncarnation());
            out.printf(
                    "  %d sessions of clients, %d of masters with %d graphs; %d steps run, %.1f a second, %,d so far%n",
                    s.getSessions(),
                    s.getWorkerSessions(),
                    s.getGraphs(),
                    s.getStepsRunning(),
                    s.getStepsASecond(),
                    s.getStepsEnded());
            for (TaskStatus.Device d : s.getDeviceList())
                out.printf(
                        "  %s  %,d bytes in use%s%n",
                        d.getName(),
                        d.getMemoryUsed(),
                        d.getMemoryLimit() == Long.MAX_VALUE ? "" : " of %,d".formatted(d.getMemoryLimit()));
            for (TaskStatus.Link l : s.getLinkList())
                out.printf("  values of %s come by %s%n", l.getTask(), l.getSharedMemory() ? "shared memory" : "TCP");
            waits.addAll(s.getWaitList());
        });
        waits.sort((a, b) -> Long.compare(b.getNanos(), a.getNanos()));
        for (TaskStatus.Wait w : waits.subList(0, Math.min(MOST_WAITS, waits.size())))
            out.printf(
                    "%s waits for %s: %s in step %d, for %.3f s%n",
                    part(w, 2), part(w, 0), part(w, 3), w.getStep(), w.getNanos() / 1e9);
        if (waits.size() > MOST_WAITS) out.printf("and %d more waits%n", waits.size() - MOST_WAITS);
        if (waits.isEmpty()) out.println("nobody waits for another task");
    }

    /** A part of the key of a value: 0 who makes it, 2 who wants it, 3 what it is. */
    private static String part(TaskStatus.Wait w, int i) {
        String[] parts = w.getKey().split(";", -1);
        return parts.length == 5 ? parts[i] : w.getKey();
    }

    private static void write(Map<TaskName, ClusterStatus.Answer> answers, PrintWriter to) throws IOException {
        JsonWriter out = new JsonWriter(to);
        out.setIndent("  ");
        out.beginObject().name("tasks").beginArray();
        for (var a : answers.entrySet()) {
            out.beginObject().name("task").value(a.getKey().toString());
            if (a.getValue().error() != null)
                out.name("error").value(a.getValue().error().getMessage());
            else task(a.getValue().status(), out);
            out.endObject();
        }
        out.endArray().endObject();
        out.flush();
        to.println();
    }

    private static void task(TaskStatus s, JsonWriter out) throws IOException {
        out.name("process").value(s.getProcess());
        out.name("incarnation").value("%016x".formatted(s.getIncarnation()));
        out.name("up_seconds").value(s.getUpNanos() / 1e9);
        out.name("sessions").value(s.getSessions());
        out.name("worker_sessions").value(s.getWorkerSessions());
        out.name("graphs").value(s.getGraphs());
        out.name("steps_running").value(s.getStepsRunning());
        out.name("steps_ended").value(s.getStepsEnded());
        out.name("steps_a_second").value(s.getStepsASecond());
        out.name("devices").beginArray();
        for (TaskStatus.Device d : s.getDeviceList()) {
            out.beginObject().name("name").value(d.getName());
            out.name("memory_used").value(d.getMemoryUsed());
            out.name("memory_limit").value(d.getMemoryLimit()).endObject();
        }
        out.endArray().name("links").beginArray();
        for (TaskStatus.Link l : s.getLinkList())
            out.beginObject()
                    .name("task")
                    .value(l.getTask())
                    .name("shared_memory")
                    .value(l.getSharedMemory())
                    .endObject();
        out.endArray().name("waits").beginArray();
        for (TaskStatus.Wait w : s.getWaitList()) {
            out.beginObject().name("who").value(part(w, 2)).name("whom").value(part(w, 0));
            out.name("value").value(part(w, 3)).name("step").value(w.getStep());
            out.name("seconds").value(w.getNanos() / 1e9).endObject();
        }
        out.endArray();
    }
}
