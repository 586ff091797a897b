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

/** Numbers of the gamma distributions with shapes alpha, which the output shape ends with; from a key and counter. */
@Signature(
        "StatelessRandomGammaV3(shape: shape_dtype, key: uint64, counter: uint64, alg: int32, alpha: dtype) -> (output: dtype) {dtype: type in [HALF FLOAT DOUBLE]; shape_dtype: type in [INT32 INT64] = INT32}")
public record StatelessRandomGammaV3() implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Randoms.checkKey(c, 1);
        return Randoms.inferEndingWith(c, 4);
    }

    @Override
    public Kernel cpu() {
        return c -> Draws.gamma(Randoms.keyed(c, 1), c.input(4), c.output(0), c.parallel());
    }

    /** {@code dalpha = dy dsample/dalpha}, summed over the samples of each alpha. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return Randoms.gammaGradient(g, 4);
    }
}
