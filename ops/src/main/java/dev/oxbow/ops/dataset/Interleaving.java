package dev.oxbow.ops.dataset;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.FunctionRef;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * The elements of data sets that a function makes of elements: of so many at a time, so many of each in turn. One that ends is
 * followed by the next at its place when its turn comes again.
 */
final class Interleaving implements Elements {
    private final Elements from;
    private final Callee f;
    private final long block;
    private final long cycle;

    /** One for each place of the cycle that was reached so far; null where one has ended. */
    private final List<Elements> open = new ArrayList<>();

    private final List<Dataset> sets = new ArrayList<>();
    private int at;
    private long inBlock;
    private int running;
    private boolean ended;

    private Interleaving(Elements from, Callee f, long cycle, long block) {
        this.from = from;
        this.f = f;
        this.block = block;
        this.cycle = cycle;
    }

    static Dataset of(Dataset from, Callee f, long cycle, long block) {
        return new Dataset(f.captured(), List.of(from), () -> new Interleaving(from.open(), f, cycle, block));
    }

    /** As above, with the cycle and the block of inputs {@code at} and behind, and what was captured before them. */
    static Dataset of(KernelContext c, FunctionRef f, int at, boolean choosesCycle) {
        long cycle = DatasetOp.number(c, at, "cycle_length"), block = DatasetOp.number(c, at + 1, "block_length");
        require(
                (cycle > 0 || choosesCycle && cycle == -1) && block > 0,
                INVALID_ARGUMENT,
                "cycle_length and block_length must be greater than zero, got %d and %d",
                cycle,
                block);
        return of(
                Dataset.input(c, 0),
                Callee.of(c, f, 1, at),
                cycle < 0 ? Runtime.getRuntime().availableProcessors() : cycle,
                block);
    }

    @Override
    public void next(Turn turn, Taker taker) {
        Repeating.start(turn, taker, again -> {
            if (at < open.size() && open.get(at) != null) draw(turn, taker, again);
            else if (!ended) fill(turn, taker, again);
            else if (running == 0) taker.take(null, null);
            else {
                turn();
                again.run();
            }
        });
    }

    private void draw(Turn turn, Taker taker, Runnable again) {
        open.get(at).next(turn, (element, error) -> {
            if (element != null || error != null) {
                if (++inBlock == block) turn();
                taker.take(element, error);
                return;
            }
            drop(at);
            turn();
            again.run();
        });
    }

    private void fill(Turn turn, Taker taker, Runnable again) {
        from.next(turn, (element, error) -> {
            if (error != null) {
                taker.take(null, error);
                return;
            }
            if (element == null) {
                ended = true;
                again.run();
                return;
            }
            turn.call(f, element, (made, failure) -> {
                if (failure != null) {
                    taker.take(null, failure);
                    return;
                }
                Turn.guarded(taker, () -> {
                    begin(made);
                    again.run();
                });
            });
        });
    }

    private void begin(List<Tensor> made) {
        Dataset set;
        try {
            set = Dataset.of(made.getFirst());
            set.retain();
        } finally {
            made.forEach(Tensor::release);
        }
        if (at == open.size()) {
            open.add(null);
            sets.add(null);
        }
        open.set(at, set.open());
        sets.set(at, set);
        running++;
    }

    private void turn() {
        at = at + 1 == cycle || ended && at + 1 >= open.size() ? 0 : at + 1;
        inBlock = 0;
    }

    private void drop(int i) {
        if (open.get(i) == null) return;
        open.get(i).close();
        sets.get(i).release();
        open.set(i, null);
        running--;
    }

    @Override
    public void close() {
        for (int i = 0; i < open.size(); i++) drop(i);
        from.close();
    }
}
