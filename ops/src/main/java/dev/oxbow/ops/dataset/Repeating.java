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
    private final Runnable givenUp;

    private Repeating(Turn turn, Taker taker, Consumer<Runnable> step, Runnable givenUp) {
        this.turn = turn;
        this.taker = taker;
        this.step = step;
        this.givenUp = givenUp;
    }

    /** Runs a step, which gets what to run to have it done again. What it throws, or the end of the turn, goes to the taker, and ends it. */
    static void start(Turn turn, Taker taker, Consumer<Runnable> step) {
        start(turn, taker, step, () -> {});
    }

    /** As above; {@code givenUp} frees what the steps hold where it ends before they have. */
    static void start(Turn turn, Taker taker, Consumer<Runnable> step, Runnable givenUp) {
        new Repeating(turn, taker, step, givenUp).again.run();
    }

    private void step() {
        try {
            if (turn.context().cancellation().isCancelled())
                throw turn.context().cancellation().reason().rethrown();
            step.accept(again::run);
        } catch (RuntimeException e) {
            givenUp.run();
            taker.take(null, Graph.contained(e));
        }
    }
}
