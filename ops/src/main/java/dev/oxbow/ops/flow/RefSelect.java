package dev.oxbow.ops.flow;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Supplying;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** One of some references, by its number. */
@Signature("RefSelect(index: int32, inputs: N*ref T) -> (output: ref T) {T: type; N: int >= 1}")
public record RefSelect() implements NotDifferentiable, Supplying {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Arguments.scalar("index", c.shape(0));
        TensorType t = c.input(1);
        for (int i = 2; i < c.inputCount(); i++) if (!c.shape(i).equals(t.shape())) t = t.withShape(Shape.UNKNOWN);
        return List.of(t);
    }

    @Override
    public Kernel cpu() {
        return c -> {
            long i = c.input(0).getLong(0), n = c.inputCount() - 1;
            require(i >= 0 && i < n, INVALID_ARGUMENT, "Index must be in the range [0, %d) but got %d", n, i);
            c.forward(0, (int) i + 1);
        };
    }
}
