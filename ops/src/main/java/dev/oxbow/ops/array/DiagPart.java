package dev.oxbow.ops.array;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.move.Diagonals;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** The diagonal of a tensor whose second half of dimensions repeats the first: {@code y[i] = x[i, i]}. */
@Signature("DiagPart(input: T) -> (diagonal: T) {T: type in [FLOATING COMPLEX INT32 INT64]}")
public record DiagPart() implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Shape x = c.shape(0);
        if (!x.isRankKnown()) return List.of(c.input(0));
        int half = x.rank() / 2;
        require(
                x.rank() % 2 == 0 && x.rank() > 0,
                INVALID_ARGUMENT,
                "The rank of the tensor should be even and positive, got shape %s",
                x);
        Shape both = x.slice(0, half).merge(x.slice(half, x.rank()));
        require(both != null, INVALID_ARGUMENT, "Invalid shape %s: dimensions %d on must equal those before", x, half);
        return List.of(c.input(0).withShape(both));
    }

    @Override
    public Kernel cpu() {
        return c -> Diagonals.extract(c.input(0), c.output(0));
    }

    /** dy on the diagonal. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return List.of(Value.apply(new Diag(), g.gradient(0)));
    }
}
