package dev.oxbow.train;

import dev.oxbow.tensor.Tensor;
import java.util.List;

/** Some examples: a tensor for each input of the model, and their targets; whoever takes it closes it. */
public record Batch(List<Tensor> inputs, Tensor targets) implements AutoCloseable {

    /** The number of examples. */
    public long rows() {
        return targets.shape().dim(0);
    }

    @Override
    public void close() {
        inputs.forEach(Tensor::close);
        targets.close();
    }
}
