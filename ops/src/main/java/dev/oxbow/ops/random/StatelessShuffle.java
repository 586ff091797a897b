package dev.oxbow.ops.random;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.random.Philox;
import dev.oxbow.kernels.random.Shuffle;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** The input with the slices of its first dimension in random order, from a key and counter. */
@Signature("StatelessShuffle(value: T, key: uint64, counter: uint64, alg: int32) -> (output: T) {T: type}")
public record StatelessShuffle() implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Randoms.checkKey(c, 1);
        return List.of(c.input(0));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor x = c.input(0);
            Philox stream = Randoms.keyed(c, 1);
            if (x.shape().rank() == 0 || x.shape().dim(0) <= 1 || x.size() <= 1) c.forward(0, 0);
            else
                Shuffled.run(
                        c, x, Shuffle.permutation(stream, Counts.toInt(x.shape().dim(0))));
        };
    }
}
