package dev.oxbow.data.pipeline;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * The elements of a pipeline for each element, such as the records of files: of so many at a time, so many of each in turn. One
 * that ends is followed by the next at its place in the cycle, when its turn comes again.
 */
record InterleaveStage<T, U>(Stage<T> from, int cycle, int block, Function<? super T, Pipeline<U>> f)
        implements Stage<U> {

    InterleaveStage {
        require(
                cycle > 0 && block > 0,
                INVALID_ARGUMENT,
                "interleave: cycle and block must be 1 at least, got %d and %d",
                cycle,
                block);
    }

    @Override
    public Cursor<U> open(Setting setting) {
        Setting whole = setting.whole();
        Cursor<T> upstream = from.open(whole);
        return new Cursor<>() {
            @SuppressWarnings({"unchecked", "rawtypes"})
            private final Cursor<U>[] open = new Cursor[cycle];

            private int at;
            private int inBlock;
            private boolean ended;
            private int running;

            @Override
            public Lazy<U> next() {
                while (!ended || running > 0) {
                    if (open[at] == null) {
                        fill();
                        if (open[at] == null) {
                            turn();
                            continue;
                        }
                    }
                    Lazy<U> next = open[at].next();
                    if (next == null) {
                        open[at].close();
                        open[at] = null;
                        running--;
                        turn();
                        continue;
                    }
                    if (++inBlock == block) turn();
                    return setting.own(next);
                }
                return null;
            }

            private void turn() {
                at = (at + 1) % cycle;
                inBlock = 0;
            }

            private void fill() {
                Lazy<T> next = ended ? null : upstream.next();
                if (next == null) ended = true;
                else {
                    open[at] = f.apply(next.get()).stage().open(whole);
                    running++;
                }
            }

            @Override
            public void close() {
                List<Cursor<?>> all = new ArrayList<>(List.of(upstream));
                for (Cursor<U> c : open) if (c != null) all.add(c);
                Opened.close(all);
            }
        };
    }

    @Override
    public String describe() {
        return "interleave " + cycle + " by " + block;
    }

    @Override
    public List<Stage<?>> inputs() {
        return List.of(from);
    }
}
