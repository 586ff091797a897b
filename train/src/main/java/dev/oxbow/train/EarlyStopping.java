package dev.oxbow.train;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

/** Ends training when a figure has not become better for so many epochs. */
final class EarlyStopping implements Callback {
    private final String figure;
    private final Callbacks.Goal goal;
    private final int patience;
    private double best;
    private int waited;

    EarlyStopping(String figure, Callbacks.Goal goal, int patience) {
        require(patience > 0, INVALID_ARGUMENT, "EarlyStopping: needs an epoch of patience, got %d", patience);
        this.figure = figure;
        this.goal = goal;
        this.patience = patience;
        this.best = goal.worst();
    }

    @Override
    public boolean epoch(Trainer trainer, Epoch epoch) {
        double now = epoch.figure(figure);
        waited = goal.better(now, best) ? 0 : waited + 1;
        if (waited == 0) best = now;
        return waited >= patience;
    }
}
