package dev.oxbow.benchmarks;

import dev.oxbow.cluster.ClusterSpec;
import dev.oxbow.cluster.TaskName;
import dev.oxbow.cluster.server.Server;
import dev.oxbow.cluster.server.ServerOptions;
import java.io.IOException;
import org.tensorflow.proto.ClusterDef;
import org.tensorflow.proto.JobDef;
import org.tensorflow.proto.ServerDef;

/** One task of a cluster in a process of its own, ours or TensorFlow's, until its standard input ends. */
final class ClusterTask {
    private ClusterTask() {}

    static void serve(String system, String addresses, int task) throws IOException {
        ClusterSpec spec = ClusterSpec.json(addresses);
        if (system.equals("oxbow")) {
            Server server = new Server(spec, new TaskName("worker", task), ServerOptions.defaults());
            ready();
            server.close();
            return;
        }
        JobDef.Builder job = JobDef.newBuilder().setName("worker");
        for (TaskName t : spec.tasks()) job.putTasks(t.task(), spec.address(t).toString());
        var server = new org.tensorflow.Server(ServerDef.newBuilder()
                .setCluster(ClusterDef.newBuilder().addJob(job))
                .setJobName("worker")
                .setTaskIndex(task)
                .setProtocol("grpc")
                .build());
        server.start();
        ready();
        Runtime.getRuntime().halt(0); // TensorFlow's servers can not be stopped
    }

    private static void ready() throws IOException {
        System.out.print(Child.MARK + "ok ready\n");
        System.out.flush();
        for (int b = System.in.read(); b >= 0; ) b = System.in.read();
    }
}
