package dev.oxbow.data.pipeline;

import java.util.function.Supplier;

/** The elements of one epoch in their order. One thread at a time walks it; the elements may be computed by others. */
public interface Cursor<T> extends AutoCloseable {

    /** The next element; null at the end, and ever after. */
    Lazy<T> next();

    /** Goes past up to {@code n} elements without computing them, as far as their order does not depend on it; how many there were. */
    default long skip(long n) {
        for (long i = 0; i < n; i++) {
            Lazy<T> passed = next();
            if (passed == null) return i;
            passed.drop();
        }
        return n;
    }

    /** Elements made of those of other cursors, which are closed with it. */
    static <T> Cursor<T> over(Cursor<?> source, Supplier<Lazy<T>> next) {
        return new Cursor<>() {
            @Override
            public Lazy<T> next() {
                return next.get();
            }

            @Override
            public void close() {
                source.close();
            }
        };
    }

    @Override
    default void close() {}
}
