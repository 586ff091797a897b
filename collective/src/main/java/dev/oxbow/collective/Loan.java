package dev.oxbow.collective;

/**
 * Memory that a communicator lends, on which collectives copy least: ranks of the same host read it in place where the
 * transport shares memory. It stays as long as it is lent, also when the communicator closes meanwhile. Not cleared.
 */
public final class Loan implements AutoCloseable {
    private final Loans loans;
    private final long address;
    private final long bytes;
    private final Runnable free;
    private boolean lent = true;

    Loan(Loans loans, long address, long bytes, Runnable free) {
        this.loans = loans;
        this.address = address;
        this.bytes = bytes;
        this.free = free;
    }

    public long address() {
        return address;
    }

    /** At least as many as were asked for. */
    public long bytes() {
        return bytes;
    }

    /** Gives it back; no collective may use it any more. Once is enough. */
    @Override
    public void close() {
        synchronized (loans) {
            if (lent) loans.giveBack(this);
            lent = false;
        }
    }

    Loan again() {
        lent = true;
        return this;
    }

    /** Frees the memory. */
    void end() {
        free.run();
    }
}
