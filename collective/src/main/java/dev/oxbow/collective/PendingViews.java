package dev.oxbow.collective;

import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.collective.algorithm.LendAll;

/**
 * The elements of all ranks, where they lie, to be read from the end of this handle until they are given back. A rank that
 * the others have given up meanwhile may read anything; {@link #giveBack} then fails.
 */
public final class PendingViews extends Pending {
    private final Communicator communicator;
    private final Pending whole;
    private LendAll.Loans loans;

    PendingViews(Communicator communicator) {
        super(communicator);
        this.communicator = communicator;
        whole = new Pending(communicator);
        whole.whenDone(this::end); // an error before the elements are there
        cancellation = why -> whole.cancellation.accept(why);
    }

    /** The handle of the whole call, from its begin until all ranks have given back what they saw of each other. */
    public Pending whole() {
        return whole;
    }

    void there(LendAll.Loans all) {
        loans = all;
        end(null);
    }

    /** Where the elements of a rank of the group lie. */
    public long address(int rank) {
        checkDone();
        if (error() != null) throw error();
        return loans.address(rank);
    }

    private void checkDone() {
        require(isDone(), FAILED_PRECONDITION, "PendingViews: not all ranks have come");
    }

    /** Elements of others are read no more; ends when nobody reads those of this rank, which may change from then on. */
    public Pending giveBack() {
        checkDone();
        communicator.submit(() -> {
            if (loans != null && !whole.isDone()) loans.giveBack();
        });
        return whole;
    }
}
