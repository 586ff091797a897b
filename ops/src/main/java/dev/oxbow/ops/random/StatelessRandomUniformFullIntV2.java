package dev.oxbow.ops.random;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.random.Distributions;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import java.util.List;

/** Uniform whole numbers over all values of their type, from a key and counter. */
@Signature(
        "StatelessRandomUniformFullIntV2(shape: Tshape, key: uint64, counter: uint64, alg: int32) -> (output: dtype) {dtype: type in [INT32 INT64 UINT32 UINT64] = UINT64; Tshape: type in [INT32 INT64] = INT32}")
public record StatelessRandomUniformFullIntV2(DType dtype) implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Randoms.checkKey(c, 1);
        return Randoms.infer(c);
    }

    @Override
    public Kernel cpu() {
        return c -> Distributions.fullInt(Randoms.keyed(c, 1), c.output(0), c.parallel());
    }
}
