package dev.oxbow.collective.failure;

/**
 * One rank's part in finding out whether all P participants made the same call, by dissemination: ceil(log2 P) rounds in
 * which each rank sends one note and waits for one. Who has ended knows that all have begun and that all hashes are equal.
 */
public final class Agreement {

    /** Sends the note of one round to a participant. */
    @FunctionalInterface
    public interface Sender {
        void send(int to, int round);
    }

    private final int me;
    private final int size;
    private final int rounds;
    private final Sender sender;
    private int round;
    private int arrived;

    public Agreement(int me, int size, Sender sender) {
        this.me = me;
        this.size = size;
        this.sender = sender;
        rounds = 32 - Integer.numberOfLeadingZeros(size - 1);
    }

    public void start() {
        if (rounds > 0) sender.send((me + 1) % size, 0);
    }

    /** Takes the note of a round, which may come before earlier rounds have ended; false when it is not from whom it must be. */
    public boolean arrived(int from, int ofRound) {
        if (ofRound >= rounds || from != partner(ofRound) || (arrived & 1 << ofRound) != 0) return false;
        arrived |= 1 << ofRound;
        while (round < rounds && (arrived & 1 << round) != 0) {
            round++;
            if (round < rounds) sender.send((int) ((me + (1L << round)) % size), round);
        }
        return true;
    }

    public boolean isDone() {
        return round == rounds;
    }

    /** The participant whose note this rank waits for. */
    public int waitsFor() {
        return partner(round);
    }

    private int partner(int ofRound) {
        return (int) Math.floorMod(me - (1L << ofRound), (long) size);
    }
}
