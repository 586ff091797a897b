package dev.oxbow.ops.random;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.random.Philox;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** The key and counter that two seeds become, and the algorithm: 1, Philox. */
@Signature(
        "StatelessRandomGetKeyCounterAlg(seed: Tseed) -> (key: uint64, counter: uint64, alg: int32) {Tseed: type in [INT32 INT64] = INT64}")
public record StatelessRandomGetKeyCounterAlg() implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Randoms.checkSeed(c, 0);
        return List.of(
                new TensorType(DType.U64, Shape.of(1)),
                new TensorType(DType.U64, Shape.of(2)),
                new TensorType(DType.I32, Shape.SCALAR));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Philox p = Randoms.stateless(c, 0);
            c.output(0).setLong(0, p.key());
            c.output(1).setLong(0, p.counterLow());
            c.output(1).setLong(1, p.counterHigh());
            c.output(2).setLong(0, 1);
        };
    }
}
