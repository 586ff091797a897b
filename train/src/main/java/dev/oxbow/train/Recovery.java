package dev.oxbow.train;

import static dev.oxbow.tensor.ErrorCode.DATA_LOSS;
import static dev.oxbow.tensor.ErrorCode.DEADLINE_EXCEEDED;

import dev.oxbow.parallel.ServerSession;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.train.state.Checkpoint;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs of a worker whose parameter servers may be lost in between: they come again, get back what they held, and the run is done again. */
final class Recovery {
    private static final Logger LOG = LoggerFactory.getLogger(Recovery.class);

    /** So often one run may fail. */
    private static final int TRIES = 8;

    private static final long PAUSE_NANOS = 100_000_000;

    /** Where the loss of a server ends training. */
    static final Recovery NONE = new Recovery(null, Duration.ZERO, _ -> {});

    private final ServerSession session;
    private final Duration patience;
    private final Consumer<Set<Integer>> restore;

    /**
     * @param patience how long lost servers may take to come again
     * @param restore gives servers of these numbers back what they held
     */
    Recovery(ServerSession session, Duration patience, Consumer<Set<Integer>> restore) {
        this.session = session;
        this.patience = patience;
        this.restore = restore;
    }

    /** What a run gives, maybe after several attempts; its pushes count once. */
    <T> T run(Supplier<T> body) {
        if (session == null) return body.get();
        for (int i = 1; ; i++) {
            try {
                return body.get();
            } catch (OxbowException e) {
                if (e.code().category() != ErrorCode.Category.PEER || i == TRIES) throw e;
                LOG.info("a step failed, since a server was lost: {}", e.getMessage());
                recover(e);
            }
        }
    }

    /** Has no other worker wait for this one, which has nothing to train on. */
    void rest() {
        run(() -> {
            session.rest();
            return null;
        });
    }

    /** Tells servers something as soon as they can be told; false where it was {@code over} before, or the patience was. */
    boolean tell(Runnable what, BooleanSupplier over) {
        for (long end = System.nanoTime() + patience.toNanos(); !over.getAsBoolean(); ) {
            try {
                what.run();
                return true;
            } catch (OxbowException e) {
                LOG.debug("servers can not be told yet: {}", e.getMessage());
                if (System.nanoTime() - end > 0) return false;
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
        return false;
    }

    /** Of a worker, from what {@code kept} gives when servers have lost what they held. */
    static Recovery of(Runs runs, Supplier<Optional<Checkpoint>> kept, Duration patience) {
        ServerSession served = (ServerSession) runs.session();
        return new Recovery(served, patience, lost -> restore(runs, lost, kept));
    }

    /** Gives servers back what they have lost, from others or a checkpoint; whoever does it first of all workers counts. */
    static void restore(Runs runs, Set<Integer> lost, Supplier<Optional<Checkpoint>> kept) {
        ServerSession served = (ServerSession) runs.session();
        served.on(lost, () -> {
            runs.initialise(served);
            if (served.restoreCopies()) return;
            try (Checkpoint c = checkpoint(lost, kept)) {
                runs.assign(runs.graph().state(), c.values());
            }
        });
    }

    /** Gives servers back what they have lost, in another session of theirs; false where no other server has it. */
    static boolean restoreCopies(Runs runs, ServerSession other) {
        boolean[] restored = new boolean[1];
        other.on(other.lost(), () -> {
            runs.initialise(other);
            restored[0] = other.restoreCopies();
        });
        return restored[0];
    }

    private static Checkpoint checkpoint(Set<Integer> lost, Supplier<Optional<Checkpoint>> kept) {
        return kept.get()
                .orElseThrow(() -> new OxbowException(
                        DATA_LOSS,
                        "Trainer: parameter servers %s have lost what they held, and there is no checkpoint: keep some, by --checkpoints"
                                .formatted(lost)));
    }

    private void recover(OxbowException first) {
        long end = System.nanoTime() + patience.toNanos();
        while (true) {
            try {
                Set<Integer> lost = session.reopen(patience);
                if (lost.isEmpty()) return;
                LOG.warn("parameter servers {} have lost what they held: it is restored", lost);
                restore.accept(lost);
                return;
            } catch (OxbowException e) {
                if (e.code().category() != ErrorCode.Category.PEER) throw e;
                if (System.nanoTime() - end < 0) {
                    LockSupport.parkNanos(PAUSE_NANOS); // it may have failed at once
                    continue;
                }
                OxbowException late = new OxbowException(
                        DEADLINE_EXCEEDED,
                        "Trainer: parameter servers did not come again within %s: %s"
                                .formatted(patience, e.getMessage()),
                        e);
                late.addSuppressed(first);
                throw late;
            }
        }
    }
}
