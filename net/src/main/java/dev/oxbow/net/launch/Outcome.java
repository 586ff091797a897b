package dev.oxbow.net.launch;

import java.util.List;

/** How a job of processes ended. */
public sealed interface Outcome {

    /** Every rank ended with status 0. */
    record Done() implements Outcome {}

    /** The job was stopped from outside. */
    record Stopped() implements Outcome {}

    /** An elastic job could not go on. */
    record GaveUp(String why) implements Outcome {}

    /**
     * One rank kept the others from going on, and they were ended because of it.
     *
     * @param status its exit status; 128 + n when signal n killed it; 0 when it ended too early, or did not end by itself
     * @param how what it did, in words that follow its name
     * @param lastLines what it printed last
     */
    record Failed(int rank, long pid, int status, String how, List<String> lastLines) implements Outcome {
        static final int SIGNALLED = 128;
        private static final int SIGNALS = 64;

        /** Such as {@code rank 2 (process 4711) ended with status 137 (signal 9)}. */
        public String describe() {
            return "rank %d (process %d) %s".formatted(rank, pid, how);
        }

        static String ended(int status) {
            boolean signal = status > SIGNALLED && status <= SIGNALLED + SIGNALS;
            return "ended with status " + status + (signal ? " (signal " + (status - SIGNALLED) + ")" : "");
        }
    }
}
