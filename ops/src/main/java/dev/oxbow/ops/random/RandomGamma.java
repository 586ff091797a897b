package dev.oxbow.ops.random;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.random.Draws;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Stateful.Drawing;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** Numbers of the gamma distributions with shapes alpha and rate 1, as many of each as asked for. */
@Signature(
        "RandomGamma(shape: S, alpha: T) -> (output: T) {seed: int = 0; seed2: int = 0; S: type in [INT32 INT64]; T: type in [HALF FLOAT DOUBLE]} stateful")
public record RandomGamma(long seed, long seed2) implements Differentiable, Drawing {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(new TensorType(c.outputDtype(0), Randoms.shape(c, 0).concat(c.shape(1))));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor y = c.output(0);
            if (y.size() > 0) Draws.gamma(Randoms.reserve(c, seed, seed2, y.size()), c.input(1), y, c.parallel());
        };
    }

    /** {@code dalpha = dy dsample/dalpha}, summed over the samples of each alpha. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return Randoms.gammaGradient(g, 1);
    }
}
