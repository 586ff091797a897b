package dev.oxbow.ops.nn;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** Gradient of {@code MaxPoolWithArgmax}: each gradient goes to the recorded position. */
@Signature(
        "MaxPoolGradWithArgmax(input: T, grad: T, argmax: Targmax) -> (output: T) {ksize: list(int) >= 4; strides: list(int) >= 4; padding: string in [\"SAME\" \"VALID\"]; include_batch_in_index: bool = false; Targmax: type in [INT32 INT64]; T: type in [FLOAT DOUBLE INT32 UINT8 INT16 INT8 INT64 BFLOAT16 UINT16 HALF UINT32 UINT64]}")
public record MaxPoolGradWithArgmax(List<Long> ksize, List<Long> strides, String padding, boolean includeBatchInIndex)
        implements Op {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.rank(0, 4);
        return List.of(c.input(0));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor x = c.input(0), dy = c.input(1), argmax = c.input(2);
            Pools pool = Pools.of(ksize, strides, padding, "NHWC");
            pool.checkOutput(x.shape(), "grad", dy.shape());
            pool.checkOutput(x.shape(), "argmax", argmax.shape());
            long perImage = x.shape().size(1, 4);
            dev.oxbow.kernels.numeric.MaxPool.gradientByArgmax(
                    dy, argmax, includeBatchInIndex, perImage, c.output(0), c.memory());
        };
    }
}
