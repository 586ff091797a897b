package dev.oxbow.ops.random;

import dev.oxbow.graph.Effects;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.random.Draws;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** Numbers of the Poisson distributions with the given rates, as many of each as asked for. */
@Signature(
        "RandomPoissonV2(shape: S, rate: R) -> (output: dtype) {seed: int = 0; seed2: int = 0; S: type in [INT32 INT64]; R: type in [HALF FLOAT DOUBLE INT32 INT64] = DOUBLE; dtype: type in [HALF FLOAT DOUBLE INT32 INT64] = INT64} stateful")
public record RandomPoissonV2(long seed, long seed2, DType dtype) implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(new TensorType(c.outputDtype(0), Randoms.shape(c, 0).concat(c.shape(1))));
    }

    @Override
    public Effects effects() {
        return Effects.RANDOM;
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor y = c.output(0);
            if (y.size() > 0) Draws.poisson(Randoms.reserve(c, seed, seed2, y.size()), c.input(1), y, c.parallel());
        };
    }
}
