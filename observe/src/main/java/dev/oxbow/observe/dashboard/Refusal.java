package dev.oxbow.observe.dashboard;

/** A request that gets no answer but a status and a sentence. */
final class Refusal extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final int status;

    Refusal(int status, String why) {
        super(why, null, false, false);
        this.status = status;
    }

    int status() {
        return status;
    }
}
