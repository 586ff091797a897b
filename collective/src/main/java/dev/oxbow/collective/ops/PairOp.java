package dev.oxbow.collective.ops;

/** An op between this rank and one other. */
interface PairOp extends CollectiveOp {
    /** The other rank in the group. */
    int rank();

    /** A gradient goes the other way, and both ways may have the same key. */
    @Override
    default boolean mayMeetGradient(CollectiveOp other) {
        return CollectiveOp.super.mayMeetGradient(other)
                && other instanceof PairOp p
                && p.rank() == rank()
                && p.getClass() != getClass();
    }
}
