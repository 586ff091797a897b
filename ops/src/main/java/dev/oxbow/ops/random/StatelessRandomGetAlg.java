package dev.oxbow.ops.random;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** The algorithm that the stateless random ops use: 1, Philox. */
@Signature("StatelessRandomGetAlg() -> (alg: int32) stateful")
public record StatelessRandomGetAlg() implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(new TensorType(DType.I32, Shape.SCALAR));
    }

    @Override
    public Kernel cpu() {
        return c -> c.output(0).setLong(0, 1);
    }
}
