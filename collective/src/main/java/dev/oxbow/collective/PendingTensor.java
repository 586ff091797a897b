package dev.oxbow.collective;

import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.tensor.Tensor;

/** The elements of all ranks one after the other, whose number was not known before. */
public final class PendingTensor extends Pending {
    private volatile Tensor tensor;
    private volatile long[] counts;

    PendingTensor(Communicator communicator) {
        super(communicator);
    }

    /** A vector, which the caller owns; fails before {@link #isDone} and when gathering failed. */
    public Tensor tensor() {
        checkDone();
        return tensor;
    }

    /** How many of the elements came from each rank. */
    public long[] counts() {
        checkDone();
        return counts.clone();
    }

    private void checkDone() {
        require(isDone(), FAILED_PRECONDITION, "PendingTensor: the gathering has not ended");
        if (error() != null) throw error();
    }

    void gathered(Tensor tensor, long[] counts) {
        this.tensor = tensor;
        this.counts = counts;
    }
}
