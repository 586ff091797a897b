package dev.oxbow.ops.random;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.random.Binomials;
import dev.oxbow.kernels.random.Philox;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Changing;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** How many of {@code counts} trials succeed, each with probability {@code probs}, from the generator in a variable. */
@Signature(
        "StatefulRandomBinomial(resource: resource, algorithm: int64, shape: S, counts: T, probs: T) -> (output: dtype) {S: type in [INT32 INT64]; T: type in [HALF FLOAT DOUBLE INT32 INT64] = DOUBLE; dtype: type in [HALF FLOAT DOUBLE INT32 INT64] = INT64} stateful")
public record StatefulRandomBinomial(DType dtype) implements NotDifferentiable, Changing {
    /** Numbers that TensorFlow sets aside for an element. */
    private static final int NUMBERS = 200;

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.scalar(1);
        return List.of(new TensorType(dtype, Randoms.inferBroadcast(c, 2, 3)));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Randoms.requirePhilox(c.input(1).getLong(0));
            Tensor y = c.output(0);
            Shape batch = Shape.broadcast(c.input(3).shape(), c.input(4).shape());
            long samples = batch.size() == 0 ? 0 : y.size() / batch.size();
            Philox stream = Randoms.advance(c, batch.size() * NUMBERS * (samples + 3) / 4);
            Binomials.fill(stream, c.input(3), c.input(4), batch, y, c.parallel());
        };
    }
}
