package dev.oxbow.ops.dataset;

import dev.oxbow.graph.FunctionRef;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/**
 * The elements of data sets that a function makes of elements: of so many at a time, so many of each in turn. One that ends is
 * followed by the next at its place when its turn comes again.
 */
final class Interleaving implements Elements {
    private final Elements from;
    private final FunctionRef f;
    private final List<Tensor> captured;
    private final long block;
    private final Elements[] open;
    private final Dataset[] sets;
    private int at;
    private long inBlock;
    private int running;
    private boolean ended;

    private Interleaving(Elements from, FunctionRef f, List<Tensor> captured, int cycle, long block) {
        this.from = from;
        this.f = f;
        this.captured = captured;
        this.block = block;
        this.open = new Elements[cycle];
        this.sets = new Dataset[cycle];
    }

    static Dataset of(Dataset from, FunctionRef f, List<Tensor> captured, long cycle, long block) {
        return new Dataset(
                captured,
                List.of(from),
                () -> new Interleaving(from.open(), f, captured, Math.toIntExact(cycle), block));
    }

    @Override
    public void next(Turn turn, Taker taker) {
        Repeating.start(turn, taker, again -> {
            if (open[at] != null) draw(turn, taker, again);
            else if (!ended) fill(turn, taker, again);
            else if (running == 0) taker.take(null, null);
            else {
                turn();
                again.run();
            }
        });
    }

    private void draw(Turn turn, Taker taker, Runnable again) {
        open[at].next(turn, (element, error) -> {
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
            turn.call(f, element, captured, (made, failure) -> {
                if (failure != null) {
                    taker.take(null, failure);
                    return;
                }
                Turn.guarded(taker, () -> {
                    sets[at] = Dataset.of(made.getFirst());
                    sets[at].retain();
                    made.forEach(Tensor::release);
                    open[at] = sets[at].open();
                    running++;
                    again.run();
                });
            });
        });
    }

    private void turn() {
        at = (at + 1) % open.length;
        inBlock = 0;
    }

    private void drop(int i) {
        if (open[i] == null) return;
        open[i].close();
        sets[i].release();
        open[i] = null;
        running--;
    }

    @Override
    public void close() {
        for (int i = 0; i < open.length; i++) drop(i);
        from.close();
    }
}
