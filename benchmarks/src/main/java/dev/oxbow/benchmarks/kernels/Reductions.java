package dev.oxbow.benchmarks.kernels;

import dev.oxbow.ops.Value;
import org.openjdk.jmh.annotations.Param;

/** Sums, means and maxima along rows, columns or everything. */
public class Reductions extends OneOp {
    @Param({"128x512", "1024x256", "4096x4096"})
    public String size;

    @Param({"rows", "columns", "all"})
    public String along;

    @Param({"sum", "mean", "max", "argmax"})
    public String reduction;

    @Override
    protected Value build() {
        Value x = floats(sizes(size));
        int[] axes = along.equals("rows") ? new int[] {1} : along.equals("columns") ? new int[] {0} : new int[] {};
        return switch (reduction) {
            case "sum" -> x.sum(axes);
            case "mean" -> x.mean(axes);
            case "max" -> x.max(axes);
            default -> axes.length == 0 ? x.reshape(-1).argMax(0) : x.argMax(axes[0]);
        };
    }
}
