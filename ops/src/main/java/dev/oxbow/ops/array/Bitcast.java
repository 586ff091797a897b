package dev.oxbow.ops.array;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Stateful.Supplying;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** The same bytes as another dtype; a difference in width adds or takes the last dimension. */
@Signature("Bitcast(input: T) -> (output: type) {T: type in [NUMBER]; type: type in [NUMBER]}")
public record Bitcast(DType type) implements Supplying {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Shape x = c.shape(0);
        return List.of(new TensorType(type, x.isRankKnown() ? result(x, c.dtype(0)) : x));
    }

    private Shape result(Shape x, DType from) {
        int in = from.size(), out = type.size();
        if (in == out) return x;
        if (in > out) return x.concat(Shape.of(in / out));
        require(
                x.rank() > 0 && (x.dim(-1) < 0 || x.dim(-1) == out / in),
                INVALID_ARGUMENT,
                "Cannot bitcast from %s to %s: shape %s",
                from.inWords(),
                type.inWords(),
                x);
        return x.slice(0, x.rank() - 1);
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor kept = c.keep(0);
            c.set(0, kept.view(type, result(kept.shape(), kept.dtype())));
            kept.release();
        };
    }
}
