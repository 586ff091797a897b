package dev.oxbow.ops.nn;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.Arrays;
import java.util.List;

/** {@code MaxPoolGradGrad} with its window and strides as inputs. */
@Signature(
        "MaxPoolGradGradV2(orig_input: T, orig_output: T, grad: T, ksize: int32, strides: int32) -> (output: T) {padding: string in [\"SAME\" \"VALID\"]; data_format: string in [\"NHWC\" \"NCHW\"] = \"NHWC\"; T: type in [FLOAT DOUBLE INT32 UINT8 INT16 INT8 INT64 BFLOAT16 UINT16 HALF UINT32 UINT64]}")
public record MaxPoolGradGradV2(String padding, String dataFormat) implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.rank(0, 4);
        return List.of(c.input(1));
    }

    private Pools pool(long[] ksize, long[] strides) {
        return Pools.of(ksize, strides, padding, dataFormat);
    }

    @Override
    public Kernel cpu() {
        return Pools.maxSecondGradient(c -> pool(Pools.longs(c.input(3)), Pools.longs(c.input(4))));
    }

    /** Back to the positions that were picked. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return Arrays.asList(
                null,
                null,
                Value.apply(
                        new MaxPoolGradV2(padding, dataFormat),
                        g.input(0),
                        g.input(1),
                        g.gradient(0),
                        g.input(3),
                        g.input(4)),
                null,
                null);
    }
}
