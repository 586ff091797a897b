package dev.oxbow.data.pipeline;

import java.util.function.LongFunction;
import java.util.function.LongSupplier;

/** Elements that can be had by their numbers. */
record IndexedStage<T>(String describe, LongSupplier size, LongFunction<? extends T> read) implements Stage<T> {

    @Override
    public Cursor<T> open(Setting setting) {
        long end = size.getAsLong();
        return new Cursor<>() {
            private long at;

            @Override
            public Lazy<T> next() {
                if (at == end) return null;
                long i = at++;
                return setting.own(() -> read.apply(i));
            }

            @Override
            public long skip(long n) {
                long some = Math.min(n, end - at);
                at += some;
                return some;
            }
        };
    }
}
