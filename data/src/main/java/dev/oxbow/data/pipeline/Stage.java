package dev.oxbow.data.pipeline;

import java.util.List;

/**
 * A source of elements, or something done to those of other stages. The elements of an epoch and their order follow from the
 * stage and the number of the epoch alone, never from threads, workers or time; a source that can not promise that says so.
 */
@FunctionalInterface
public interface Stage<T> {

    /** The elements of an epoch from the first one on. */
    Cursor<T> open(Setting setting);

    /** What it does in a few words, such as {@code shuffle 1000}. */
    default String describe() {
        return "source";
    }

    /** The stages whose elements it takes. */
    default List<Stage<?>> inputs() {
        return List.of();
    }

    /** Whether elements are made of batches of which a worker has its rows only. */
    default boolean isShared() {
        return inputs().stream().anyMatch(Stage::isShared);
    }

    /** How often it worked and for how long; null where that is not counted. */
    default Work work() {
        return null;
    }
}
