package dev.oxbow.graph;

/** What an op does besides computing its outputs; passes touch only {@link #NONE}. */
public enum Effects {
    /** A pure function of its inputs and attributes. */
    NONE,
    /** Reads state that others may change. */
    READS,
    /** Changes state. */
    WRITES,
    /** Draws random numbers, so that two runs differ. */
    RANDOM
}
