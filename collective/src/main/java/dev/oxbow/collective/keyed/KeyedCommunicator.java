package dev.oxbow.collective.keyed;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Resource;
import dev.oxbow.graph.ResourceHandle;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** A group that has formed, and the rank that a device has in it. Its collectives are told apart by their order. */
final class KeyedCommunicator implements Resource {
    private final int key;
    private final int size;
    private final int rank;
    private final AtomicInteger calls = new AtomicInteger();

    KeyedCommunicator(int key, int size, int rank) {
        require(
                rank >= 0 && rank < size,
                INVALID_ARGUMENT,
                "group %d of %d devices: %d is no rank of it",
                key,
                size,
                rank);
        this.key = key;
        this.size = size;
        this.rank = rank;
    }

    /** The communicator that input {@code i} is a handle of. */
    static KeyedCommunicator of(KernelContext c, int i) {
        return ResourceHandle.resource(c.input(i), KeyedCommunicator.class);
    }

    int key() {
        return key;
    }

    int size() {
        return size;
    }

    int rank() {
        return rank;
    }

    /** The keys of the next collective among the ranks of the row that this one is in. */
    KeyedOp.Keys keys(Tensor assignment) {
        List<Integer> row = row(assignment, rank);
        int instance = calls.incrementAndGet();
        boolean all = row.size() == size;
        for (int i = 0; i < row.size(); i++) all &= row.get(i) == i;
        if (all) return new KeyedOp.Keys(key, size, instance, rank);
        int part = (31 * key + row.hashCode()) | Integer.MIN_VALUE; // keys that users choose are not negative
        return new KeyedOp.Keys(part, row.size(), instance, row.indexOf(rank));
    }

    /** The row of a matrix that has a number. */
    static List<Integer> row(Tensor assignment, int number) {
        Shape s = assignment.shape();
        require(s.rank() == 2, INVALID_ARGUMENT, "group_assignment must be a matrix, got %s", s);
        for (long i = 0; i < s.dim(0); i++) {
            List<Integer> row = new ArrayList<>();
            for (long j = 0; j < s.dim(1); j++) row.add((int) assignment.getLong(i * s.dim(1) + j));
            if (row.contains(number)) return row;
        }
        throw new OxbowException(INVALID_ARGUMENT, "group_assignment has no row with %d".formatted(number));
    }

    @Override
    public void close() {}

    @Override
    public String kind() {
        return "communicator";
    }
}
