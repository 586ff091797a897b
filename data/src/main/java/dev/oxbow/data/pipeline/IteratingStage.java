package dev.oxbow.data.pipeline;

import java.util.Iterator;
import java.util.function.LongFunction;

/** What an iterator gives, a new one for each epoch; it is closed where it can be. */
record IteratingStage<T>(LongFunction<? extends Iterator<? extends T>> epochs) implements Stage<T> {

    @Override
    public Cursor<T> open(Setting setting) {
        Iterator<? extends T> each = epochs.apply(setting.epoch());
        return new Cursor<>() {
            @Override
            public Lazy<T> next() {
                return each.hasNext() ? setting.own(Lazy.of(each.next())) : null;
            }

            @Override
            public void close() {
                try {
                    if (each instanceof AutoCloseable c) c.close();
                } catch (Exception e) {
                    throw Failure.of(e);
                }
            }
        };
    }

    @Override
    public String describe() {
        return "iterator";
    }
}
