package dev.oxbow.train.layer;

import dev.oxbow.graph.Op;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.nn.AvgPool;
import dev.oxbow.ops.nn.AvgPool3D;
import dev.oxbow.ops.nn.MaxPool;
import dev.oxbow.ops.nn.MaxPool3D;
import java.util.List;

/**
 * The greatest, or the mean, of each window of {@code size} in each direction of sequences, images or volumes. Padding
 * does not count: a window at the border takes what is inside.
 */
public record Pool(boolean greatest, int size, int stride, boolean overBorder) implements Layer {

    /** Windows that begin so far from each other. */
    public Pool stride(int s) {
        return new Pool(greatest, size, s, overBorder);
    }

    /** With windows that reach over the border, so that the result has {@code ceil(n / stride)} of {@code n}. */
    public Pool padded() {
        return new Pool(greatest, size, stride, true);
    }

    @Override
    public Value apply(Build b, Value x) {
        int spatial = Spatial.of("Pool", x);
        if (spatial > 1) return Value.apply(op(Spatial.each(spatial, size), Spatial.each(spatial, stride)), x);
        List<Long> window = List.of(1L, 1L, (long) size, 1L), strides = List.of(1L, 1L, (long) stride, 1L);
        return Value.apply(op(window, strides), x.expandDims(1)).squeeze(1);
    }

    private Op op(List<Long> window, List<Long> strides) {
        String padding = Spatial.padding(overBorder);
        if (window.size() == 5)
            return greatest
                    ? new MaxPool3D(window, strides, padding, "NDHWC")
                    : new AvgPool3D(window, strides, padding, "NDHWC");
        return greatest ? new MaxPool(window, strides, padding) : new AvgPool(window, strides, padding);
    }

    @Override
    public String kind() {
        return "pool";
    }
}
