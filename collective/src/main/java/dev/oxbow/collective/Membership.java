package dev.oxbow.collective;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.tensor.OxbowException;

/** Who is in a group, and whether it can be used: what there is to say of one besides what its ranks do together. */
abstract sealed class Membership permits Group {
    final Communicator communicator;
    final long id;
    final String name;
    final int[] members;
    final int generation;
    final int rank;
    private volatile Pending formed;

    Membership(Communicator communicator, long id, String name, int[] members, int generation) {
        this.communicator = communicator;
        this.id = id;
        this.name = name;
        this.members = members;
        this.generation = generation;
        int self = -1;
        for (int i = 0; i < members.length; i++) if (members[i] == communicator.rank()) self = i;
        rank = self;
    }

    abstract Failing failing();

    /** Names the agreement of the parent with which it begins. */
    void isFormedWith(Pending agreement) {
        formed = agreement;
    }

    /** This process's rank in the group, or -1 when it is no member. */
    public int rank() {
        return rank;
    }

    public int size() {
        return members.length;
    }

    public String name() {
        return name;
    }

    /** The rank in the job of a rank of the group. */
    public int jobRank(int rank) {
        require(
                rank >= 0 && rank < members.length,
                INVALID_ARGUMENT,
                "group %s has no rank %d, only 0 to %d",
                name,
                rank,
                members.length - 1);
        return members[rank];
    }

    public Communicator communicator() {
        return communicator;
    }

    /** Ends when all ranks of the parent have agreed on this group; the world and reformed groups are formed already. */
    public Pending formed() {
        Pending f = formed;
        if (f != null) return f;
        Pending done = new Pending(communicator);
        done.end(null);
        return done;
    }

    /** Ends all operations of the group on all ranks, after which it can not be used any more. */
    public void abort(String why) {
        failing().begin();
        communicator.submit(() -> failing().abort(why));
    }

    /** Says that calls follow each other from now on, all of which end where the last has, or that they do no longer. */
    public void use(boolean begins) {
        failing().use(begins ? 1 : -1);
    }

    /** Whether it has not failed, and is not failing now. */
    public boolean isUsable() {
        return failing().isUsable();
    }

    /** Does this, on a thread that must not be held up, when it is known why the group has failed. */
    public void whenFailed(Runnable callback) {
        communicator.submit(() -> failing().whenFailed(callback));
    }

    /** Why the group can not be used any more, or {@code null} while it can. */
    public OxbowException error() {
        return failing().error();
    }

    /** The elements of each of the group's ranks when {@code count} are split as evenly as can be, larger ones first. */
    public long[] even(long count) {
        long[] counts = new long[members.length];
        for (int i = 0; i < counts.length; i++) counts[i] = count / counts.length + (i < count % counts.length ? 1 : 0);
        return counts;
    }

    long id() {
        return id;
    }

    /** The rank of this process in the job. */
    int jobRank() {
        return communicator.rank();
    }

    int[] members() {
        return members;
    }

    @Override
    public String toString() {
        return "group " + name;
    }
}
