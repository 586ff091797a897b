package dev.oxbow.train;

import dev.oxbow.tensor.Tensor;
import java.util.List;

/** Some examples: a tensor for each input of the model, and their targets; whoever takes it closes it. */
public record Batch(List<Tensor> inputs, Tensor targets) implements AutoCloseable {

    /** The number of examples. */
    public long rows() {
        return targets.shape().dim(0);
    }

    /** The rows of one of several workers, as a view; some have a row more than others, or none. */
    public Batch share(int rank, int ranks) {
        long from = rows() * rank / ranks, count = rows() * (rank + 1) / ranks - from;
        return new Batch(inputs.stream().map(t -> t.rows(from, count)).toList(), targets.rows(from, count));
    }

    @Override
    public void close() {
        inputs.forEach(Tensor::close);
        targets.close();
    }
}
