package dev.oxbow.ops.dataset;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Elements by keys, which a function gives them. */
final class Groups {
    private Groups() {}

    /** The one whole number that a function has returned, which is released. */
    private static long number(List<Tensor> result, String function) {
        try {
            require(
                    result.size() == 1
                            && result.getFirst().dtype() == DType.I64
                            && result.getFirst().shape().isScalar(),
                    INVALID_ARGUMENT,
                    "`%s` must return a scalar int64.",
                    function);
            return result.getFirst().getLong(0);
        } finally {
            result.forEach(Tensor::release);
        }
    }

    private static List<Tensor> shared(List<Tensor> element) {
        return element.stream().map(Tensor::retain).toList();
    }

    private static List<Tensor> key(long key) {
        Tensor t = MemoryPool.shared().tensor(DType.I64, Shape.SCALAR, "key of a group");
        t.setLong(0, key);
        return List.of(t);
    }

    private static List<Tensor> captured(Callee... functions) {
        List<Tensor> all = new ArrayList<>();
        for (Callee f : functions) all.addAll(f.captured());
        return all;
    }

    /** What a function makes of so many elements of a key; what is left at the end follows, by keys. */
    static Dataset windows(Dataset from, Callee key, Callee reduce, Callee size) {
        return new Dataset(
                captured(key, reduce, size), List.of(from), () -> new ByWindow(from.open(), key, reduce, size));
    }

    /** One element for each key, in their order. */
    static Dataset reduced(Dataset from, Callee key, Callee init, Callee reduce, Callee last) {
        return new Dataset(
                captured(key, init, reduce, last),
                List.of(from),
                () -> new ByReducer(from.open(), key, init, reduce, last));
    }

    /** A walk that asks for the key of each element of another one. */
    private abstract static class Keyed extends Walks.Through {
        private final Elements from;
        private final Callee key;
        boolean ended;

        Keyed(Elements from, Callee key) {
            super(from);
            this.from = from;
            this.key = key;
        }

        /** Takes an element, which it owns, by its key, then goes on with {@code again} or tells the taker. */
        abstract void put(long k, List<Tensor> element, Turn turn, Taker taker, Runnable again);

        void sort(Turn turn, Taker taker, Runnable again) {
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
                List<Tensor> kept = shared(element);
                Taker failing = (_, failure) -> {
                    kept.forEach(Tensor::release);
                    taker.take(null, failure);
                };
                turn.call(key, element, (result, failure) -> {
                    if (failure != null) failing.take(null, failure);
                    else Turn.guarded(failing, () -> put(number(result, "key_func"), kept, turn, taker, again));
                });
            });
        }
    }

    private static final class ByWindow extends Keyed {
        private final Callee reduce;
        private final Callee size;
        private final TreeMap<Long, List<List<Tensor>>> groups = new TreeMap<>();
        private final Map<Long, Long> sizes = new HashMap<>();
        private Dataset made;
        private Elements current;

        ByWindow(Elements from, Callee key, Callee reduce, Callee size) {
            super(from, key);
            this.reduce = reduce;
            this.size = size;
        }

        @Override
        public void next(Turn turn, Taker taker) {
            Repeating.start(turn, taker, again -> {
                if (current != null) draw(turn, taker, again);
                else if (!ended) sort(turn, taker, again);
                else if (!groups.isEmpty()) flush(groups.firstKey(), turn, taker, again);
                else taker.take(null, null);
            });
        }

        private void draw(Turn turn, Taker taker, Runnable again) {
            current.next(turn, (element, error) -> {
                if (element != null || error != null) {
                    taker.take(element, error);
                    return;
                }
                leave();
                again.run();
            });
        }

        @Override
        void put(long k, List<Tensor> element, Turn turn, Taker taker, Runnable again) {
            groups.computeIfAbsent(k, _ -> new ArrayList<>()).add(element);
            if (sizes.containsKey(k)) {
                full(k, turn, taker, again);
                return;
            }
            turn.call(size, key(k), (result, failure) -> {
                if (failure != null) {
                    taker.take(null, failure);
                    return;
                }
                Turn.guarded(taker, () -> {
                    long n = number(result, "window_size_func");
                    require(n > 0, INVALID_ARGUMENT, "Window size must be greater than zero, but got %d.", n);
                    sizes.put(k, n);
                    full(k, turn, taker, again);
                });
            });
        }

        private void full(long k, Turn turn, Taker taker, Runnable again) {
            if (groups.get(k).size() == sizes.get(k)) flush(k, turn, taker, again);
            else again.run();
        }

        private void flush(long k, Turn turn, Taker taker, Runnable again) {
            List<List<Tensor>> group = groups.remove(k);
            List<Tensor> arguments = new ArrayList<>(key(k));
            arguments.add(Dataset.tensor(Windows.of(group)));
            Pieces.release(group);
            turn.call(reduce, arguments, (result, failure) -> {
                if (failure != null) {
                    taker.take(null, failure);
                    return;
                }
                Turn.guarded(taker, () -> {
                    try {
                        made = Dataset.of(result.getFirst());
                        made.retain();
                    } finally {
                        result.forEach(Tensor::release);
                    }
                    current = made.open();
                    again.run();
                });
            });
        }

        private void leave() {
            if (current != null) current.close();
            if (made != null) made.release();
            current = null;
            made = null;
        }

        @Override
        public void close() {
            leave();
            groups.values().forEach(Pieces::release);
            groups.clear();
            super.close();
        }
    }

    private static final class ByReducer extends Keyed {
        private final Callee init;
        private final Callee reduce;
        private final Callee last;
        private final TreeMap<Long, List<Tensor>> states = new TreeMap<>();

        ByReducer(Elements from, Callee key, Callee init, Callee reduce, Callee last) {
            super(from, key);
            this.init = init;
            this.reduce = reduce;
            this.last = last;
        }

        @Override
        public void next(Turn turn, Taker taker) {
            Repeating.start(turn, taker, again -> {
                if (!ended) sort(turn, taker, again);
                else if (states.isEmpty()) taker.take(null, null);
                else turn.call(last, states.pollFirstEntry().getValue(), taker);
            });
        }

        @Override
        void put(long k, List<Tensor> element, Turn turn, Taker taker, Runnable again) {
            List<Tensor> state = states.remove(k);
            if (state != null) {
                step(k, state, element, turn, taker, again);
                return;
            }
            turn.call(init, key(k), (begun, failure) -> {
                if (failure == null) {
                    step(k, begun, element, turn, taker, again);
                    return;
                }
                element.forEach(Tensor::release);
                taker.take(null, failure);
            });
        }

        private void step(long k, List<Tensor> state, List<Tensor> element, Turn turn, Taker taker, Runnable again) {
            List<Tensor> both = new ArrayList<>(state);
            both.addAll(element);
            turn.call(reduce, both, (made, failure) -> {
                if (failure != null) {
                    taker.take(null, failure);
                    return;
                }
                states.put(k, made);
                again.run();
            });
        }

        @Override
        public void close() {
            for (List<Tensor> s : states.values()) s.forEach(Tensor::release);
            states.clear();
            super.close();
        }
    }
}
