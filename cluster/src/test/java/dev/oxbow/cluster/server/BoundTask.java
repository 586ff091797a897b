package dev.oxbow.cluster.server;

import dev.oxbow.cluster.ClusterSpec;
import dev.oxbow.cluster.TaskName;
import dev.oxbow.runtime.EngineOptions;
import java.io.IOException;
import java.time.Duration;

/** A task in a process of its own that listens at its address in the cluster, in whatever network it was started. */
final class BoundTask {
    private BoundTask() {}

    /** Arguments: the cluster in JSON, job, task, after how many milliseconds others are lost. Says by one byte that it listens. */
    public static void main(String[] a) throws IOException {
        ClusterSpec cluster = ClusterSpec.json(a[0]);
        TaskName task = new TaskName(a[1], Integer.parseInt(a[2]));
        ServerOptions options = ServerOptions.defaults()
                .withEngine(EngineOptions.defaults().withThreads(1))
                .withEventLoops(1)
                .withBind(cluster.address(task).host())
                .withTrustedNetwork(true)
                .withLostAfter(Duration.ofMillis(Long.parseLong(a[3])));
        try (Server _ = new Server(cluster, task, options)) {
            System.out.write(1);
            System.out.flush();
            for (int b = System.in.read(); b >= 0; ) b = System.in.read();
        }
    }
}
