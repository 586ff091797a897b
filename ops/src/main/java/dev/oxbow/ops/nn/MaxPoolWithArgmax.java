package dev.oxbow.ops.nn;

import dev.oxbow.graph.Attr;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** The largest element of each window and its flat position in the image, or in the batch. */
@Signature(
        "MaxPoolWithArgmax(input: T) -> (output: T, argmax: Targmax) {ksize: list(int) >= 4; strides: list(int) >= 4; Targmax: type in [INT32 INT64] = INT64; padding: string in [\"SAME\" \"VALID\"]; include_batch_in_index: bool = false; T: type in [FLOAT DOUBLE INT32 UINT8 INT16 INT8 INT64 BFLOAT16 UINT16 HALF UINT32 UINT64]}")
public record MaxPoolWithArgmax(
        List<Long> ksize,
        List<Long> strides,
        @Attr("Targmax") DType targmax,
        String padding,
        boolean includeBatchInIndex)
        implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Shape y = pool().infer(c).get(0).shape();
        return List.of(new TensorType(c.dtype(0), y), new TensorType(targmax, y));
    }

    private Pools pool() {
        return Pools.of(ksize, strides, padding, "NHWC");
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor x = c.input(0);
            dev.oxbow.kernels.numeric.MaxPool.withArgmax(
                    x, pool().over(x.shape()), includeBatchInIndex, c.output(0), c.output(1), c.memory(), c.parallel());
        };
    }

    /** Each window's gradient goes to the recorded position. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return List.of(Value.apply(
                new MaxPoolGradWithArgmax(ksize, strides, padding, includeBatchInIndex),
                g.input(0),
                g.gradient(0),
                g.output(1)));
    }
}
