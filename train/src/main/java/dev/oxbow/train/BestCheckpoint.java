package dev.oxbow.train;

import dev.oxbow.train.state.Checkpoint;
import dev.oxbow.train.state.Checkpoints;

/** Saves after an epoch whose figure is better than all before; of several processes the first one writes. */
final class BestCheckpoint implements Callback {
    private final Checkpoints to;
    private final String figure;
    private final Callbacks.Goal goal;
    private double best;

    BestCheckpoint(Checkpoints to, String figure, Callbacks.Goal goal) {
        this.to = to;
        this.figure = figure;
        this.goal = goal;
        this.best = goal.worst();
    }

    @Override
    public boolean epoch(Trainer trainer, Epoch epoch) {
        double now = epoch.figure(figure);
        if (!goal.better(now, best)) return false;
        best = now;
        try (Checkpoint c = trainer.checkpoint()) {
            to.save(c, trainer.share());
        }
        return false;
    }
}
