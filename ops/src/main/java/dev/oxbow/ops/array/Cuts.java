package dev.oxbow.ops.array;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** What Split and SplitV share. */
final class Cuts {
    private Cuts() {}

    static void run(KernelContext c, Tensor x, int axis, long[] sizes) {
        List<Tensor> parts = new ArrayList<>();
        for (int i = 0; i < sizes.length; i++)
            parts.add(c.isAllocated(i) ? c.output(i) : c.allocate(i, x.shape().withDim(axis, sizes[i])));
        dev.oxbow.kernels.move.Concat.split(x, axis, parts, c.parallel());
    }

    /** The gradients of the parts joined again; a part that nothing depends on counts as zeros. */
    static Value join(GradientContext g, int n, Value axis) {
        Value[] parts = new Value[n + 1];
        for (int i = 0; i < n; i++) parts[i] = g.gradient(i);
        parts[n] = axis;
        return n == 1 ? parts[0] : Value.apply(new ConcatV2(), parts);
    }
}
