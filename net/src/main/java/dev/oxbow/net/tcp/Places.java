package dev.oxbow.net.tcp;

import dev.oxbow.net.tcp.Introduction.Verdict;

/** Lets each higher rank of a job in, once. */
final class Places implements Reception.Door {
    private final int rank;
    private final boolean[] taken;

    Places(int rank, int size) {
        this.rank = rank;
        taken = new boolean[size];
    }

    @Override
    public Verdict admit(int other) {
        if (other <= rank) return Verdict.WRONG_RANK;
        if (taken[other]) return Verdict.DUPLICATE_RANK;
        taken[other] = true;
        return Verdict.WELCOME;
    }

    @Override
    public void left(int other) {
        taken[other] = false;
    }
}
