package dev.oxbow.ops.random;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.random.Philox;
import dev.oxbow.kernels.random.Samples;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** The end of a Markov chain over candidates by their distances: the next centre of k-MC2 (Bachem et al., 2016). */
@Signature("KMC2ChainInitialization(distances: float, seed: int64) -> (index: int64)")
public record KMC2ChainInitialization() implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.vector(0);
        c.scalar(1);
        return List.of(new TensorType(DType.I64, Shape.SCALAR));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor distances = c.input(0);
            require(distances.size() > 0, INVALID_ARGUMENT, "Expected distances to have an element, got none");
            Samples random = new Samples(Philox.ofKey(c.input(1).getLong(0), 0, 0));
            long chosen = 0;
            for (long i = 1; i < distances.size(); i++)
                if (distances.getDouble(i) > random.nextFloat() * (float) distances.getDouble(chosen)) chosen = i;
            c.output(0).setLong(0, chosen);
        };
    }
}
