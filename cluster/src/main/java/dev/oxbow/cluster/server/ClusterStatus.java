package dev.oxbow.cluster.server;

import com.google.protobuf.Empty;
import dev.oxbow.cluster.ClusterSpec;
import dev.oxbow.cluster.TaskName;
import dev.oxbow.cluster.rpc.Loops;
import dev.oxbow.cluster.rpc.Methods;
import dev.oxbow.cluster.rpc.Peer;
import dev.oxbow.cluster.rpc.Security;
import dev.oxbow.cluster.rpc.Statuses;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.wire.proto.TaskStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** How the tasks of a cluster are, as each of them says. */
public final class ClusterStatus {

    /** What a task has answered, or why it has not; one of the two is null. */
    public record Answer(TaskStatus status, OxbowException error) {}

    private ClusterStatus() {}

    /** Asks all tasks at once, and waits for each at most so long. */
    public static Map<TaskName, Answer> ask(ClusterSpec cluster, Security security, Duration limit) {
        Map<TaskName, CompletableFuture<Answer>> asked = new LinkedHashMap<>();
        List<Peer> peers = new ArrayList<>();
        try (Loops loops = new Loops("oxbow-status", 1)) {
            try {
                for (TaskName t : cluster.tasks()) {
                    Peer p = new Peer(cluster.address(t), loops, security, Integer.MAX_VALUE);
                    peers.add(p);
                    asked.put(t, asked(p, t, limit));
                }
                Map<TaskName, Answer> all = new LinkedHashMap<>();
                asked.forEach((t, answer) -> all.put(t, answer.join())); // each call has its deadline
                return all;
            } finally {
                peers.forEach(Peer::close); // while the thread that does it is there
            }
        }
    }

    private static CompletableFuture<Answer> asked(Peer p, TaskName t, Duration limit) {
        CompletableFuture<Answer> answer = new CompletableFuture<>();
        p.call(
                Methods.TASK_STATUS,
                Empty.getDefaultInstance(),
                null,
                limit,
                (status, error) -> answer.complete(new Answer(
                        status, error == null ? null : Statuses.of(error).in(t.toString()))));
        return answer;
    }
}
