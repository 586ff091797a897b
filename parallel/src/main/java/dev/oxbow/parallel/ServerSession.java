package dev.oxbow.parallel;

import dev.oxbow.graph.Edge;
import dev.oxbow.runtime.Session;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Tensor;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * A session of a worker whose variables are held by parameter servers, which may be lost, and come again with nothing.
 *
 * {@snippet :
 * void goOn(Graph graph, Node restore) {
 *     Plan plan = Plan.parameterServer(2, 4).async().at("grpc://worker0:2222");
 *     try (ServerSession session = plan.reopening(graph, 0, SessionOptions.defaults())) {
 *         Set<Integer> lost = session.reopen(Duration.ofMinutes(1)); // behind a run that failed with UNAVAILABLE
 *         if (!lost.isEmpty()) session.on(lost, () -> session.target(restore).run());
 *     }
 * }
 * }
 */
public interface ServerSession extends Session {

    /**
     * Opens the session again, behind a run that has failed since a server was lost: waits until all servers are up, for so
     * long, and gives the numbers of those that do not have the state any more. What a failed run had left half done is
     * settled: it counts at all servers that have their state still, or at none. Whoever runs it again, which comes next, pushes
     * what counts only where it has not.
     */
    Set<Integer> reopen(Duration patience);

    /**
     * Servers that do not have the state of this job, as far as this worker knows: those that were found so when it was opened
     * while others had taken pushes, or by {@link #reopen}.
     */
    Set<Integer> lost();

    /**
     * Lets what {@code body} assigns reach these servers only, where it counts if nobody else has assigned the same since they
     * came: every worker may do it, and the first counts.
     */
    void on(Set<Integer> servers, Runnable body);

    /**
     * Gives {@link #lost} servers back what other servers hold of it, under {@link Plan#shardCopies}: all updates, and which pushes
     * have counted. Called within {@link #on}, behind what sets start values. False where nobody has it.
     */
    boolean restoreCopies();

    /**
     * Says, before a step, what the one behind it will be fed, so that rows of variables that {@link Plan#prefetch} names can be
     * pulled ahead for it. The tensors must stay open until the step that comes first has ended; whatever is fed then, results
     * are the same.
     */
    void announce(List<Edge> feeds, List<Tensor> values);

    /** Whether any server had taken a push of any worker when this was opened. */
    boolean hasTrained();

    /** The number of updates that each server has done. */
    long[] versions();

    /** Lets the pushes of all workers count that one server has counted and another still holds, whoever left them. */
    void settle();

    /**
     * Tells the servers that a life of a worker is over, so that nobody waits for it any more, unless a later one has begun. May be
     * called while a run waits.
     */
    void leave(int worker, long life);

    /**
     * Says that this worker, which trains by itself, has nothing to train on for now: others that must not be too far ahead of the
     * slowest do not wait for it, until its next run.
     */
    void rest();

    /** Ends the run that is under way, and all that come, with this error. */
    void cancel(OxbowException why);

    /** Removes all that the servers hold of this job. */
    void forget();
}
