package dev.oxbow.collective.failure;

import java.util.List;

/**
 * What one rank says about itself when a group is in trouble.
 *
 * @param key the collective that it was asked about
 * @param rank the rank of the job that answers
 * @param fields the fields of the signature of its call, when it called it
 * @param running the keys of the calls that it is in
 * @param inside another call that it waits in, or empty
 * @param waitsFor the ranks of the job that it waits for
 * @param lost the ranks of the job that it has lost
 * @param cause what it noticed itself, or {@code null}
 */
public record Status(
        long key,
        int rank,
        State state,
        List<String> fields,
        long[] running,
        String inside,
        int[] waitsFor,
        int[] lost,
        Cause cause) {

    /** Whether the rank is or was in a call. */
    boolean called(long call) {
        if (call == key) return state != State.NOT_CALLED;
        for (long r : running) if (r == call) return true;
        return false;
    }

    /** How far a rank is with a collective. */
    public enum State {
        NOT_CALLED,
        RUNNING,
        FINISHED
    }
}
