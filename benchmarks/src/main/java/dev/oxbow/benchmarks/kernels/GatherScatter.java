package dev.oxbow.benchmarks.kernels;

import dev.oxbow.ops.Value;
import java.util.Map;
import org.openjdk.jmh.annotations.Param;

/** Rows looked up in a table, and rows summed by their index. */
public class GatherScatter extends OneOp {
    @Param({"1000x32", "1000000x32"})
    public String table;

    @Param({"128", "53248"})
    public int rows;

    @Param({"gather", "segment sum"})
    public String kernel;

    @Override
    protected Value build() {
        long[] t = sizes(table);
        Value at = indices((int) t[0], rows);
        if (kernel.equals("gather")) return floats(t).gather(at, 0);
        return op("UnsortedSegmentSum", Map.of(), floats(rows, t[1]), at, ops().constant((int) t[0]));
    }
}
