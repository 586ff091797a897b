package dev.oxbow.ops.random;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.random.Distributions;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** Uniform whole numbers in [minval, maxval), from a key and counter. */
@Signature(
        "StatelessRandomUniformIntV2(shape: Tshape, key: uint64, counter: uint64, alg: int32, minval: dtype, maxval: dtype) -> (output: dtype) {dtype: type in [INT32 INT64 UINT32 UINT64]; Tshape: type in [INT32 INT64] = INT32}")
public record StatelessRandomUniformIntV2() implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.scalar(4);
        c.scalar(5);
        Randoms.checkKey(c, 1);
        return Randoms.infer(c);
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor y = c.output(0);
            if (y.size() == 0) return;
            long low = c.input(4).getLong(0), high = c.input(5).getLong(0);
            boolean inOrder = y.dtype() == DType.U64 ? Long.compareUnsigned(low, high) < 0 : low < high;
            require(inOrder, INVALID_ARGUMENT, "Need minval < maxval, got %d >= %d", low, high);
            Distributions.uniformInt(Randoms.keyed(c, 1), low, high, y, c.parallel());
        };
    }
}
