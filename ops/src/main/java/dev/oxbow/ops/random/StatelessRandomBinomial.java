package dev.oxbow.ops.random;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.random.Binomials;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** How many of {@code counts} trials succeed, each with probability {@code probs}; the same for the same seeds. */
@Signature(
        "StatelessRandomBinomial(shape: S, seed: Tseed, counts: T, probs: T) -> (output: dtype) {S: type in [INT32 INT64]; Tseed: type in [INT32 INT64] = INT64; T: type in [HALF FLOAT DOUBLE INT32 INT64] = DOUBLE; dtype: type in [HALF FLOAT DOUBLE INT32 INT64] = INT64}")
public record StatelessRandomBinomial(DType dtype) implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Randoms.checkSeed(c, 1);
        return List.of(new TensorType(dtype, Randoms.inferBroadcast(c, 0, 2)));
    }

    @Override
    public Kernel cpu() {
        return c -> Binomials.fill(
                Randoms.stateless(c, 1),
                c.input(2),
                c.input(3),
                Shape.broadcast(c.input(2).shape(), c.input(3).shape()),
                c.output(0),
                c.parallel());
    }
}
