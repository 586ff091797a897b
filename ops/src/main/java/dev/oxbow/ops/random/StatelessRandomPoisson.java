package dev.oxbow.ops.random;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.random.Draws;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import java.util.List;

/** Numbers of the Poisson distributions with rates lam, which the output shape ends with; the same for the same seeds. */
@Signature(
        "StatelessRandomPoisson(shape: T, seed: Tseed, lam: Rtype) -> (output: dtype) {Rtype: type in [HALF FLOAT DOUBLE INT32 INT64]; dtype: type in [HALF FLOAT DOUBLE INT32 INT64]; T: type in [INT32 INT64]; Tseed: type in [INT32 INT64] = INT64}")
public record StatelessRandomPoisson(DType dtype) implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Randoms.checkSeed(c, 1);
        return Randoms.inferEndingWith(c, 2);
    }

    @Override
    public Kernel cpu() {
        return c -> Draws.poisson(Randoms.stateless(c, 1), c.input(2), c.output(0), c.parallel());
    }
}
