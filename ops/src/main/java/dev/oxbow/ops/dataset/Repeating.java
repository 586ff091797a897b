package dev.oxbow.ops.dataset;

import dev.oxbow.graph.Graph;
import dev.oxbow.ops.queue.Again;
import java.util.function.Consumer;

/** Something done again and again, each time when the last has ended, now or later; the stack does not grow. */
final class Repeating {
    private final Again again = new Again(this::step);
    private final Turn turn;
    private final Taker taker;
    private final Consumer<Runnable> step;

    private Repeating(Turn turn, Taker taker, Consumer<Runnable> step) {
        this.turn = turn;
        this.taker = taker;
        this.step = step;
    }

    /** Runs a step, which gets what to run to have it done again. What it throws, or the end of the turn, goes to the taker, and ends it. */
    static void start(Turn turn, Taker taker, Consumer<Runnable> step) {
        new Repeating(turn, taker, step).again.run();
    }

    private void step() {
        try {
            if (turn.context().cancellation().isCancelled())
                throw turn.context().cancellation().reason().rethrown();
            step.accept(again::run);
        } catch (RuntimeException e) {
            taker.take(null, Graph.contained(e));
        }
    }
}
