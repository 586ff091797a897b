package dev.oxbow.benchmarks.kernels;

import dev.oxbow.ops.Value;
import java.util.List;
import java.util.Map;
import org.openjdk.jmh.annotations.Param;

/** Convolutions with padding to the same size, {@code batchxheightxwidthxin} and {@code kernelxout}. */
public class Convolution extends OneOp {
    @Param({"64x28x28x1", "64x14x14x32", "8x56x56x64"})
    public String image;

    @Param({"5x64", "3x64"})
    public String filter;

    /** The product, or the gradient of its image or of its filter. */
    @Param({"forward", "data", "weights"})
    public String direction;

    @Override
    protected Value build() {
        long[] i = sizes(image), f = sizes(filter);
        Map<String, Object> attributes = Map.of("strides", List.of(1L, 1L, 1L, 1L), "padding", "SAME");
        int[] imageShape = {(int) i[0], (int) i[1], (int) i[2], (int) i[3]};
        int[] filterShape = {(int) f[0], (int) f[0], (int) i[3], (int) f[1]};
        return switch (direction) {
            case "forward" -> op("Conv2D", attributes, floats(i), floats(f[0], f[0], i[3], f[1]));
            case "data" ->
                op(
                        "Conv2DBackpropInput",
                        attributes,
                        ops().constant(imageShape),
                        floats(f[0], f[0], i[3], f[1]),
                        floats(i[0], i[1], i[2], f[1]));
            default ->
                op(
                        "Conv2DBackpropFilter",
                        attributes,
                        floats(i),
                        ops().constant(filterShape),
                        floats(i[0], i[1], i[2], f[1]));
        };
    }
}
