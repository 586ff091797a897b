package dev.oxbow.data.pipeline;

import java.util.function.Function;

/**
 * An element of a pipeline that has its place in the order but was not computed yet. Any thread may compute it. Doing so again
 * gives an equal value, unless it holds a value that its first taker owns.
 */
@FunctionalInterface
public interface Lazy<T> {

    /** Computes the element; whoever asks owns what comes. */
    T get();

    /** How many bytes it holds until it is computed or forgotten. */
    default long bytes() {
        return Sizes.REFERENCE;
    }

    /** Into how many parts the work can be cut, for as many threads. */
    default int parts() {
        return 1;
    }

    /** Does one part of the work ahead of {@link #get}, which does what is missing. */
    default void compute(int part) {}

    /** Says that nobody will ask for it. */
    default void drop() {}

    /** The element after a function, with its parts. */
    default <U> Lazy<U> then(Function<? super T, ? extends U> f) {
        Lazy<T> first = this;
        return new Lazy<>() {
            @Override
            public U get() {
                return f.apply(first.get());
            }

            @Override
            public long bytes() {
                return first.bytes();
            }

            @Override
            public int parts() {
                return first.parts();
            }

            @Override
            public void compute(int part) {
                first.compute(part);
            }

            @Override
            public void drop() {
                first.drop();
            }
        };
    }

    /** An element that is there already; the first who asks owns it. */
    static <T> Lazy<T> of(T value) {
        return new Lazy<>() {
            @Override
            public T get() {
                return value;
            }

            @Override
            public long bytes() {
                return Sizes.of(value);
            }

            @Override
            public void drop() {
                Ownership.close(value);
            }
        };
    }

    /** An element that can not be had. */
    static <T> Lazy<T> failing(RuntimeException failure) {
        return () -> {
            throw failure;
        };
    }
}
