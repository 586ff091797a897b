package dev.oxbow.data.pipeline;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import java.util.List;

/** Several epochs in one, each with an order of its own; for ever where that is the number. */
record RepeatStage<T>(Stage<T> from, long times) implements Stage<T> {
    static final long FOREVER = Long.MAX_VALUE;

    /** Epochs apart from each other when a pipeline without an end is opened for another epoch. */
    private static final long FAR = 1L << 31;

    RepeatStage {
        require(times >= 0, INVALID_ARGUMENT, "repeat: needs a number of times, got %d", times);
    }

    @Override
    public Cursor<T> open(Setting setting) {
        long first = Math.multiplyExact(setting.epoch(), times == FOREVER ? FAR : times);
        return new Cursor<>() {
            private long round;
            private boolean any;
            private Cursor<T> current;

            /** Opens the next round; false when there is none, and when a round was empty, as all would be. */
            private boolean turn() {
                if (current != null) {
                    current.close();
                    current = null;
                    round++;
                    if (!any) round = times;
                }
                if (round >= times) return false;
                any = false;
                current = from.open(setting.at(first + round));
                return true;
            }

            @Override
            public Lazy<T> next() {
                while (current != null || turn()) {
                    Lazy<T> next = current.next();
                    if (next != null) {
                        any = true;
                        return next;
                    }
                    if (!turn()) break;
                }
                return null;
            }

            @Override
            public long skip(long n) {
                long done = 0;
                while (done < n && (current != null || turn())) {
                    long some = current.skip(n - done);
                    any |= some > 0;
                    done += some;
                    if (done < n && !turn()) break;
                }
                return done;
            }

            @Override
            public void close() {
                if (current != null) current.close();
            }
        };
    }

    @Override
    public String describe() {
        return times == FOREVER ? "repeat" : "repeat " + times;
    }

    @Override
    public List<Stage<?>> inputs() {
        return List.of(from);
    }
}
