package dev.oxbow.net.tcp;

import java.io.Serial;

/** Why a connection is not let in, or why the other side does not let this one in. */
final class Refusal extends Exception {
    @Serial
    private static final long serialVersionUID = 1;

    private final boolean last;
    private final transient byte[] farewell;

    private Refusal(String reason, boolean last, byte[] farewell) {
        super(reason, null, false, false);
        this.last = last;
        this.farewell = farewell;
    }

    /** Turns a connection away, with some last bytes that tell it why. */
    static Refusal of(String reason, byte... farewell) {
        return new Refusal(reason, false, farewell);
    }

    /** The other side says no, and would say so again. */
    static Refusal forGood(String reason) {
        return new Refusal(reason, true, new byte[0]);
    }

    /** Whether trying again is pointless. */
    boolean isLast() {
        return last;
    }

    byte[] farewell() {
        return farewell;
    }
}
