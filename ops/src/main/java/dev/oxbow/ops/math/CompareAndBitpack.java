package dev.oxbow.ops.math;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** {@code x > threshold}, eight answers to a byte, the first in its highest bit. */
@Signature(
        "CompareAndBitpack(input: T, threshold: T) -> (output: uint8) {T: type in [BOOL HALF FLOAT DOUBLE INT8 INT16 INT32 INT64]}")
public record CompareAndBitpack() implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Shape x = c.shape(0);
        Arguments.atLeast("input", x, 1);
        Arguments.scalar("threshold", c.shape(1));
        if (!x.isRankKnown()) return List.of(TensorType.of(DType.U8));
        require(
                x.dim(-1) < 0 || x.dim(-1) % 8 == 0,
                INVALID_ARGUMENT,
                "Inner dimension of input should be divisible by 8, but saw: %d",
                x.dim(-1));
        return List.of(new TensorType(DType.U8, x.withDim(-1, x.dim(-1) < 0 ? -1 : x.dim(-1) / 8)));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor x = c.input(0), y = c.output(0);
            boolean bool = x.dtype() == DType.BOOL;
            double threshold = bool ? 0 : c.input(1).getDouble(0);
            for (long i = 0; i < y.size(); i++) {
                int bits = 0;
                for (int b = 0; b < 8; b++) bits = bits << 1 | (x.getDouble(8 * i + b) > threshold ? 1 : 0);
                y.setLong(i, bits);
            }
        };
    }
}
