package dev.oxbow.benchmarks.kernels;

import dev.oxbow.ops.Value;
import java.util.List;
import java.util.Map;
import org.openjdk.jmh.annotations.Param;

/** Pooling by two in both directions, and its gradient. */
public class Pooling extends OneOp {
    @Param({"64x28x28x32", "64x14x14x64"})
    public String image;

    @Param({"MaxPool", "AvgPool", "MaxPoolGrad"})
    public String kernel;

    @Override
    protected Value build() {
        List<Long> two = List.of(1L, 2L, 2L, 1L);
        Map<String, Object> attributes = Map.of("ksize", two, "strides", two, "padding", "SAME");
        long[] i = sizes(image);
        Value x = floats(i);
        if (!kernel.equals("MaxPoolGrad")) return op(kernel, attributes, x);
        Value y = floats(i[0], i[1] / 2, i[2] / 2, i[3]), dy = floats(i[0], i[1] / 2, i[2] / 2, i[3]);
        return op(kernel, attributes, x, y, dy);
    }
}
