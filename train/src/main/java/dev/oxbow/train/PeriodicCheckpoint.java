package dev.oxbow.train;

import static dev.oxbow.tensor.ErrorCode.CANCELLED;
import static dev.oxbow.tensor.ErrorCode.DEADLINE_EXCEEDED;
import static dev.oxbow.tensor.ErrorCode.INTERNAL;
import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.tensor.OxbowException;
import dev.oxbow.train.state.Checkpoint;
import dev.oxbow.train.state.Checkpoints;
import dev.oxbow.train.state.Share;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Saves every so many steps on a thread of its own, one checkpoint after the other; of several processes each writes its
 * share. A failure comes back at the next step, and at the end the last one is waited for.
 */
final class PeriodicCheckpoint implements Callback {
    private static final Duration LONGEST = Duration.ofMinutes(10);

    private final Checkpoints to;
    private final int steps;
    private FutureTask<Void> writing;

    PeriodicCheckpoint(Checkpoints to, int steps) {
        require(steps > 0, INVALID_ARGUMENT, "PeriodicCheckpoint: needs a step between two of them, got %d", steps);
        this.to = to;
        this.steps = steps;
    }

    @Override
    public void step(Trainer trainer, double loss) {
        boolean due = trainer.position().step() % steps == 0;
        if (writing != null && (due || writing.isDone())) finish();
        if (!due) return;
        start(trainer.checkpoint(), trainer.share());
    }

    private void start(Checkpoint c, Share share) {
        writing = new FutureTask<>(() -> {
            try (c) {
                to.save(c, share);
            }
            return null;
        });
        Thread.ofPlatform().name("checkpoint-" + c.position().step()).daemon().start(writing);
    }

    /** Waits for what is being written, and throws what went wrong. */
    private void finish() {
        FutureTask<Void> last = writing;
        writing = null;
        try {
            last.get(LONGEST.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof OxbowException o) throw new OxbowException(o.code(), o.getMessage(), o);
            throw new OxbowException(INTERNAL, "checkpoints: " + e.getCause(), e.getCause());
        } catch (TimeoutException e) {
            throw new OxbowException(
                    DEADLINE_EXCEEDED,
                    "checkpoints: writing to %s takes longer than %s".formatted(to.folder(), LONGEST),
                    e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new OxbowException(CANCELLED, "checkpoints: interrupted while writing to " + to.folder(), e);
        }
    }

    /** What is kept behind an epoch comes after what is being written. */
    @Override
    public boolean epoch(Trainer trainer, Epoch epoch) {
        if (writing != null) finish();
        return false;
    }

    @Override
    public void end(Trainer trainer) {
        if (writing != null) finish();
    }
}
