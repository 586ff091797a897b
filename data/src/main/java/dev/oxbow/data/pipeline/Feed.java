package dev.oxbow.data.pipeline;

import java.util.Iterator;
import java.util.List;

/** Elements as somebody takes them, in order. Whoever opened it closes it, also before its end. */
public interface Feed<T> extends Iterator<T>, AutoCloseable {

    /** Whether the next element, the end or an error is there, so that nobody has to wait for it. */
    default boolean isReady() {
        return true;
    }

    /** How long each stage behind it has worked so far, over all its feeds; none where that is not known. */
    default List<StageTime> stages() {
        return List.of();
    }

    @Override
    default void close() {}

    /** Elements that are there already. */
    static <T> Feed<T> of(Iterator<? extends T> elements) {
        return new Feed<>() {
            @Override
            public boolean hasNext() {
                return elements.hasNext();
            }

            @Override
            public T next() {
                return elements.next();
            }
        };
    }
}
