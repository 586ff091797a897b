package dev.oxbow.ops.random;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.random.Philox;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Changing;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** The state of the generator in a variable, which is then moved on, as drawing delta numbers does. */
@Signature("RngReadAndSkip(resource: resource, alg: int32, delta: uint64) -> (value: int64) stateful")
public record RngReadAndSkip() implements NotDifferentiable, Changing {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.scalar(1);
        c.scalar(2);
        return List.of(new TensorType(DType.I64, Shape.of(3)));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Randoms.requirePhilox(c.input(1).getLong(0));
            Philox before = Randoms.advance(c, c.input(2).getLong(0));
            c.output(0).setLong(0, before.counterLow());
            c.output(0).setLong(1, before.counterHigh());
            c.output(0).setLong(2, before.key());
        };
    }
}
