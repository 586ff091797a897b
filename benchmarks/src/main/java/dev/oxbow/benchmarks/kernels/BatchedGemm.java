package dev.oxbow.benchmarks.kernels;

import dev.oxbow.ops.Value;
import java.util.Map;
import org.openjdk.jmh.annotations.Param;

/** Batched matrix products, {@code batchxmxkxn}: those of attention. */
public class BatchedGemm extends OneOp {
    @Param({"32x128x64x128", "32x128x128x64"})
    public String size;

    @Override
    protected Value build() {
        long[] s = sizes(size);
        return op("BatchMatMulV2", Map.of(), floats(s[0], s[1], s[2]), floats(s[0], s[2], s[3]));
    }
}
