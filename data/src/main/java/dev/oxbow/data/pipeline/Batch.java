package dev.oxbow.data.pipeline;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * Rows of examples: a tensor for each component, the last of which are the targets of training. Whoever takes it closes it.
 *
 * @param number how many batches of the epoch come before it
 * @param first the row of the whole batch with which these begin
 * @param rows of the whole batch, of which one of several workers has a part only
 */
public record Batch(List<Tensor> tensors, long number, long first, long rows) implements AutoCloseable {

    public Batch {
        tensors = List.copyOf(tensors);
        require(!tensors.isEmpty(), INVALID_ARGUMENT, "Batch: needs a tensor at least, got none");
        for (Tensor t : tensors)
            require(
                    t.shape().rank() > 0
                            && t.shape().dim(0) == tensors.getFirst().shape().dim(0),
                    INVALID_ARGUMENT,
                    "Batch: tensors must have the same number of rows, got %s and %s",
                    tensors.getFirst().shape(),
                    t.shape());
    }

    /** A whole batch with targets behind the inputs. */
    public Batch(List<Tensor> inputs, Tensor targets) {
        this(joined(inputs, targets), 0, 0, targets.shape().dim(0));
    }

    private static List<Tensor> joined(List<Tensor> inputs, Tensor targets) {
        List<Tensor> all = new ArrayList<>(inputs);
        all.add(targets);
        return all;
    }

    /** All tensors but the last. */
    public List<Tensor> inputs() {
        return tensors.subList(0, tensors.size() - 1);
    }

    /** The last tensor. */
    public Tensor targets() {
        return tensors.getLast();
    }

    /** How many rows are here. */
    public long held() {
        return targets().shape().dim(0);
    }

    /** The same with another number. */
    Batch numbered(long other) {
        return new Batch(tensors, other, first, rows);
    }

    /** The first row of one of several workers; those of a worker end where those of the next begin, and some have one more. */
    public static long first(long rows, int rank, int ranks) {
        return rows * rank / ranks;
    }

    /** The rows of one of several workers of a whole batch, as a view; some have a row more than others, or none. */
    public Batch share(int rank, int ranks) {
        require(
                held() == rows,
                INVALID_ARGUMENT,
                "Batch: only a whole batch can be shared out, this has %d of %d rows",
                held(),
                rows);
        long from = first(rows, rank, ranks), count = first(rows, rank + 1, ranks) - from;
        return new Batch(tensors.stream().map(t -> t.rows(from, count)).toList(), number, from, rows);
    }

    /** No row of it, for one who only helps others. */
    public Batch none() {
        return new Batch(tensors.stream().map(t -> t.rows(0, 0)).toList(), number, 0, rows);
    }

    @Override
    public void close() {
        tensors.forEach(Tensor::close);
    }
}
