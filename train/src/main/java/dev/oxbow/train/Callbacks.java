package dev.oxbow.train;

import dev.oxbow.train.state.Checkpoints;
import java.util.List;

/** Callbacks by name. */
public final class Callbacks {
    private Callbacks() {}

    /** Which values of a figure are better. */
    public enum Goal {
        LOWEST,
        HIGHEST;

        boolean better(double now, double before) {
            return this == LOWEST ? now < before : now > before;
        }

        double worst() {
            return this == LOWEST ? Double.POSITIVE_INFINITY : Double.NEGATIVE_INFINITY;
        }
    }

    /** Ends training when a figure has not become better for so many epochs, one after the other. */
    public static Callback earlyStopping(String figure, Goal goal, int patience) {
        return new EarlyStopping(figure, goal, patience);
    }

    /** Saves after each epoch whose figure is better than all before; keep one to have the best alone. */
    public static Callback best(Checkpoints to, String figure, Goal goal) {
        return new BestCheckpoint(to, figure, goal);
    }

    /**
     * Saves every so many steps, beside training: only copying the values out holds it up. What goes wrong while writing
     * ends training at its next step.
     */
    public static Callback every(int steps, Checkpoints to) {
        return new PeriodicCheckpoint(to, steps);
    }

    /** Ends all of them behind a failure, to which theirs are added. */
    static void end(List<Callback> all, Trainer trainer, RuntimeException failure) {
        for (Callback c : all) {
            try {
                c.end(trainer);
            } catch (RuntimeException e) {
                if (e != failure) failure.addSuppressed(e);
            }
        }
    }
}
