package dev.oxbow.data.pipeline;

import dev.oxbow.tensor.Tensor;
import java.util.List;

/** One example: a tensor for each of its components, such as an image and its class. Whoever takes it closes it. */
public record Sample(List<Tensor> tensors) implements AutoCloseable {

    public Sample {
        tensors = List.copyOf(tensors);
    }

    public static Sample of(Tensor... tensors) {
        return new Sample(List.of(tensors));
    }

    public Tensor get(int i) {
        return tensors.get(i);
    }

    @Override
    public void close() {
        tensors.forEach(Tensor::close);
    }
}
