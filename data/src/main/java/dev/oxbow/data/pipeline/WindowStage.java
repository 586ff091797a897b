package dev.oxbow.data.pipeline;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import java.util.ArrayList;
import java.util.List;

/** So many elements as a list, each list so many elements behind the one before. */
record WindowStage<T>(Stage<T> from, int size, int shift, boolean dropRest) implements Stage<List<T>> {

    WindowStage {
        require(
                size > 0 && shift > 0,
                INVALID_ARGUMENT,
                "window: size and shift must be 1 at least, got %d and %d",
                size,
                shift);
    }

    /** An element of several windows, computed for the first of them; every window gets a handle of its own. */
    private static final class Shared<T> implements Lazy<T> {
        private final Lazy<T> lazy;
        private T value;

        Shared(Lazy<T> lazy) {
            this.lazy = lazy;
        }

        @Override
        public synchronized T get() {
            if (value == null) value = lazy.get();
            return Ownership.share(value);
        }

        @Override
        public long bytes() {
            return lazy.bytes();
        }
    }

    @Override
    public Cursor<List<T>> open(Setting setting) {
        Cursor<T> upstream = from.open(setting);
        return new Cursor<>() {
            private final List<Lazy<T>> window = new ArrayList<>();
            private long before;
            private boolean ended;

            @Override
            public Lazy<List<T>> next() {
                if (before > 0 && upstream.skip(before) < before) ended = true;
                while (!ended && window.size() < size) {
                    Lazy<T> next = upstream.next();
                    if (next == null) ended = true;
                    else window.add(shift < size ? new Shared<>(next) : next);
                }
                if (window.isEmpty() || dropRest && window.size() < size) return null;
                Lazy<List<T>> all = Group.of(window);
                window.subList(0, Math.min(shift, window.size())).clear();
                before = Math.max(0, shift - size);
                return all;
            }

            @Override
            public void close() {
                upstream.close();
            }
        };
    }

    @Override
    public String describe() {
        return "window " + size + " by " + shift;
    }

    @Override
    public List<Stage<?>> inputs() {
        return List.of(from);
    }
}
