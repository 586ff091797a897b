package dev.oxbow.data.pipeline;

import java.util.ArrayDeque;
import java.util.List;
import java.util.function.Consumer;

/**
 * What must compute elements to know which come and in which order, such as a filter: every worker computes all of them, on all
 * its threads, and they go on as values.
 */
record LookStage<T, U>(Stage<T> from, String describe, Look<T, U> look) implements Stage<U> {

    /** What becomes of an element; one for each epoch, called in order. */
    interface Look<T, U> {
        /** Computes on any thread what {@link #see} wants to know. */
        default Object measure(T x) {
            return null;
        }

        /** Takes an element, or the error in its place, and gives any number of elements. */
        void see(T x, Object measured, RuntimeException failure, Consumer<Lazy<U>> out);

        /** Gives what is left at the end. */
        default void end(Consumer<Lazy<U>> out) {}

        /** One for another epoch. */
        Look<T, U> fresh();
    }

    private record Measured<T>(T value, Object measure) {}

    @Override
    public Cursor<U> open(Setting setting) {
        Cursor<T> upstream = from.open(setting.whole());
        Look<T, U> own = look.fresh();
        Ahead<Measured<T>> ahead = Ahead.of(measuring(upstream, own), setting.workers());
        return new Cursor<>() {
            private final ArrayDeque<Lazy<U>> ready = new ArrayDeque<>();
            private boolean ended;

            @Override
            public Lazy<U> next() {
                while (ready.isEmpty() && !ended) {
                    ahead.fill();
                    if (ahead.hasNext()) look(ahead, own, setting.workers(), ready);
                    else {
                        own.end(ready::add);
                        ended = true;
                    }
                }
                return setting.own(ready.poll());
            }

            @Override
            public void close() {
                try {
                    ahead.close();
                } finally {
                    ready.forEach(Lazy::drop);
                }
            }
        };
    }

    private Cursor<Measured<T>> measuring(Cursor<T> upstream, Look<T, U> own) {
        return Cursor.over(upstream, () -> {
            Lazy<T> next = upstream.next();
            return next == null ? null : next.then(x -> new Measured<>(x, own.measure(x)));
        });
    }

    private void look(Ahead<Measured<T>> ahead, Look<T, U> own, Workers workers, ArrayDeque<Lazy<U>> ready) {
        boolean broken = ahead.isBroken();
        Measured<T> m;
        try {
            m = ahead.take();
        } catch (RuntimeException e) {
            if (broken || workers.isClosed()) throw e;
            own.see(null, null, e, ready::add);
            return;
        }
        own.see(m.value, m.measure, null, ready::add);
    }

    @Override
    public List<Stage<?>> inputs() {
        return List.of(from);
    }
}
