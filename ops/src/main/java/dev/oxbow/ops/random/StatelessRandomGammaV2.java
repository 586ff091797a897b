package dev.oxbow.ops.random;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.random.Draws;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.List;

/** Numbers of the gamma distributions with shapes alpha, which the output shape ends with; the same for the same seeds. */
@Signature(
        "StatelessRandomGammaV2(shape: T, seed: Tseed, alpha: dtype) -> (output: dtype) {dtype: type in [HALF FLOAT DOUBLE]; T: type in [INT32 INT64]; Tseed: type in [INT32 INT64] = INT64}")
public record StatelessRandomGammaV2() implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Randoms.checkSeed(c, 1);
        return Randoms.inferEndingWith(c, 2);
    }

    @Override
    public Kernel cpu() {
        return c -> Draws.gamma(Randoms.stateless(c, 1), c.input(2), c.output(0), c.parallel());
    }

    /** {@code dalpha = dy dsample/dalpha}, summed over the samples of each alpha. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return Randoms.gammaGradient(g, 2);
    }
}
