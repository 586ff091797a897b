package dev.oxbow.benchmarks.kernels;

import dev.oxbow.ops.Value;
import java.util.Map;
import org.openjdk.jmh.annotations.Param;

/** Softmax and the losses made of it over rows. */
public class Softmax extends OneOp {
    @Param({"128x10", "4096x128", "4096x32768"})
    public String size;

    @Param({"Softmax", "LogSoftmax", "SparseSoftmaxCrossEntropyWithLogits"})
    public String kernel;

    @Override
    protected Value build() {
        long[] s = sizes(size);
        Value x = floats(s);
        return kernel.startsWith("Sparse")
                ? op(kernel, Map.of(), x, indices((int) s[1], s[0]))
                : op(kernel, Map.of(), x);
    }
}
