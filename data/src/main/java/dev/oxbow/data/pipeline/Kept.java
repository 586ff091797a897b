package dev.oxbow.data.pipeline;

/** Where elements of a cache are, by their numbers. */
interface Kept<T> {

    /** The element, owned by the caller; null where it is not there. */
    T get(long index);

    /** Keeps an element if there is room; gives it back, owned by the caller. */
    T put(long index, T element);

    /** How many are kept. */
    long count();

    /** How many elements there are, once somebody has seen the end; -1 before. */
    long size();

    void size(long all);

    /** Says that somebody begins to use it. */
    default void begin() {}

    /** Says that somebody has ended, so that what is kept so far may be made to last. */
    default void end() {}

    /** What it is in a few words. */
    String describe();
}
