package dev.oxbow.ops.nn;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Shape;
import java.util.Arrays;
import java.util.List;

/** {@code MaxPool} with its window and strides as inputs. */
@Signature(
        "MaxPoolV2(input: T, ksize: int32, strides: int32) -> (output: T) {T: type in [HALF BFLOAT16 FLOAT DOUBLE INT32 INT64 UINT8 INT16 INT8 UINT16 QINT8] = FLOAT; padding: string in [\"SAME\" \"VALID\"]; data_format: string in [\"NHWC\" \"NCHW\" \"NCHW_VECT_C\"] = \"NHWC\"}")
public record MaxPoolV2(String padding, String dataFormat) implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Pools pool = pool(c.longs(1), c.longs(2));
        return pool == null ? List.of(c.input(0).withShape(Shape.ofRank(4))) : pool.infer(c);
    }

    private Pools pool(long[] ksize, long[] strides) {
        return Pools.of(ksize, strides, padding, dataFormat);
    }

    @Override
    public Kernel cpu() {
        return Pools.max(c -> pool(Pools.longs(c.input(1)), Pools.longs(c.input(2))));
    }

    /** Each window's gradient goes to its largest element. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return Arrays.asList(
                Value.apply(
                        new MaxPoolGradV2(padding, dataFormat),
                        g.input(0),
                        g.output(0),
                        g.gradient(0),
                        g.input(1),
                        g.input(2)),
                null,
                null);
    }
}
