package dev.oxbow.benchmarks;

import dev.oxbow.cluster.ClusterSpec;
import dev.oxbow.cluster.TaskName;
import dev.oxbow.cluster.server.LocalCluster;
import dev.oxbow.net.HostPort;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The tasks of one cluster as processes: of a build of ours, or TensorFlow's. */
final class ClusterTeam implements AutoCloseable {
    private static final double START_SECONDS = 60;

    private final List<ChildProcess> tasks = new ArrayList<>();
    private final ClusterSpec cluster;

    /** {@code system} is oxbow or tensorflow; logs go to {@code work}. */
    ClusterTeam(Build build, String system, int n, Path work)
            throws IOException, ChildProcess.Failure, ChildProcess.Absent {
        cluster = LocalCluster.onFreePorts(Map.of("worker", n));
        String addresses = cluster.tasks().stream()
                .map(t -> '"' + cluster.address(t).toString() + '"')
                .collect(Collectors.joining(",", "{\"worker\": [", "]}"));
        try {
            for (int i = 0; i < n; i++) {
                List<String> command = new ArrayList<>(build.java());
                command.addAll(List.of("dev.oxbow.benchmarks.Main", "task", system, addresses, "" + i));
                tasks.add(ChildProcess.start(
                        system + " task " + i, command, Map.of(), work.resolve("cluster-" + system + ".log")));
            }
            ChildProcess.askAll(tasks, START_SECONDS, "");
        } catch (IOException | ChildProcess.Failure | ChildProcess.Absent e) {
            close();
            throw e;
        }
    }

    String target() {
        return "grpc://" + address();
    }

    /** That of the first task. */
    HostPort address() {
        return cluster.address(new TaskName("worker", 0));
    }

    @Override
    public void close() {
        ChildProcess.closeAll(tasks);
    }
}
