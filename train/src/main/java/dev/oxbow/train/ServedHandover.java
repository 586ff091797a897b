package dev.oxbow.train;

import static dev.oxbow.tensor.ErrorCode.UNAVAILABLE;

import dev.oxbow.parallel.Plan;
import dev.oxbow.parallel.ServerSession;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.train.state.Checkpoint;
import dev.oxbow.train.state.Position;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes over what workers that took steps together have left on parameter servers when one of them, or a server, was lost. */
final class ServedHandover {

    /*
     * Every generation has a container of its own on the servers, so that what is still on its way from an older one changes
     * nothing. The first of the next generation settles the pushes of all old workers, and reads versions, state, and versions
     * again: if all servers have come equally far, and stood still meanwhile, that is the state behind a step. If not, or where a
     * server has lost what it held and no other has it, the newest checkpoint is.
     */

    private static final Logger LOG = LoggerFactory.getLogger(ServedHandover.class);
    private static final int LOOKS = 20;
    private static final long PAUSE_NANOS = 50_000_000;

    private ServedHandover() {}

    /** The plan of a generation. */
    static Plan of(Plan plan, int generation) {
        String job = plan.served().job();
        return plan.withJob((job.isEmpty() ? "training" : job) + "-g" + generation);
    }

    /** Ends what a trainer waits for at the servers. */
    static void cancel(Trainer t, int generation, String why) {
        if (t.session() instanceof ServerSession s)
            s.cancel(new OxbowException(
                    UNAVAILABLE, "elastic: generation %d was broken: %s".formatted(generation, why)));
    }

    /** What the servers hold under an older plan, whose worker had come to {@code last}; nothing where they have lost it. */
    static Optional<Checkpoint> read(Trainer t, Plan old, int worker, Position last) {
        // by itself, it waits for no version
        try (ServerSession s = t.runs().beside(old.withBackups(0).async(), worker)) {
            if (!s.lost().isEmpty() && !(old.shardCopies() > 1 && Recovery.restoreCopies(t.runs(), s))) {
                LOG.warn(
                        "elastic: parameter servers {} have lost what they held, so the newest checkpoint is taken",
                        s.lost());
                return Optional.empty();
            }
            for (int i = 0; i < LOOKS; i++) {
                s.settle();
                long[] before = s.versions();
                Map<String, Tensor> values = t.runs().valuesIn(s);
                boolean even =
                        Arrays.stream(before).filter(v -> v > 0).distinct().count() <= 1;
                if (even && Arrays.equals(before, s.versions()) && s.lost().isEmpty()) {
                    s.forget();
                    return Optional.of(checkpoint(t, values, last));
                }
                values.values().forEach(Tensor::close);
                LockSupport.parkNanos(PAUSE_NANOS);
            }
            LOG.warn("elastic: parameter servers have not come equally far, so the newest checkpoint is taken");
        } catch (OxbowException e) {
            LOG.warn("elastic: what parameter servers held is lost, so the newest checkpoint is taken: {}", e.text());
        }
        return Optional.empty();
    }

    private static Checkpoint checkpoint(Trainer t, Map<String, Tensor> values, Position last) {
        long done = values.get(t.runs().graph().count().name()).getLong(0);
        Position at = done == last.step() + 1 ? last.afterBatches(t.runs().stepBatches()) : last;
        return new Checkpoint(at, values, Map.of());
    }
}
