package dev.oxbow.ops.random;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.random.Shuffle;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Drawing;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** The input with the slices of its first dimension in random order. */
@Signature("RandomShuffle(value: T) -> (output: T) {seed: int = 0; seed2: int = 0; T: type} stateful")
public record RandomShuffle(long seed, long seed2) implements NotDifferentiable, Drawing {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(c.input(0));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor x = c.input(0);
            if (x.shape().rank() == 0 || x.shape().dim(0) <= 1 || x.size() <= 1) {
                c.forward(0, 0);
                return;
            }
            int n = Counts.toInt(x.shape().dim(0));
            Shuffled.run(c, x, Shuffle.permutation(Randoms.state(c, seed, seed2).reserve(Shuffle.blocks(n)), n));
        };
    }
}
