package dev.oxbow.collective.failure;

import dev.oxbow.tensor.OxbowException;

/** A group as those see it who look into its failure. Ranks are those of the job. */
public interface Members {
    long id();

    String name();

    int[] members();

    /** The rank of this process. */
    int me();

    /** The place of this process among the members. */
    int position();

    boolean isLost(int rank);

    int[] lostMembers();

    /** Why a rank is lost, or will be within a time of grace if nothing comes from it; {@code null} where neither. */
    OxbowException loss(int rank);

    /** Whether a member takes part in a call, as far as this rank knows. */
    boolean takesPart(long key, int rank);

    /** Sends a note, unless to this rank. */
    void tell(int rank, Note note);

    /** Ends the group. */
    void fail(Note.Sentence sentence);

    boolean hasFailed();

    long nanoTime();

    /** How long a member may take to answer. */
    long graceNanos();

    /** Asks to be looked at by a time. */
    void dueBy(long time);
}
