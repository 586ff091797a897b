package dev.oxbow.ops.array;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** A copy of the input. */
@Signature("DeepCopy(x: T) -> (y: T) {T: type} stateful")
public record DeepCopy() implements Op {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(c.input(0));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor y = c.isAllocated(0) ? c.output(0) : c.allocate(0, c.input(0).shape());
            Fills.copy(c.input(0), y, c.parallel());
        };
    }
}
