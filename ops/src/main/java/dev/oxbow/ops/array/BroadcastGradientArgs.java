package dev.oxbow.ops.array;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** For two shapes that broadcast, the axes of the result over which the gradient of each must be summed. */
@Signature("BroadcastGradientArgs(s0: T, s1: T) -> (r0: T, r1: T) {T: type in [INT32 INT64] = INT32}")
public record BroadcastGradientArgs() implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        TensorType axes = new TensorType(c.dtype(0), Shape.of(-1));
        return List.of(axes, axes);
    }

    @Override
    public Kernel cpu() {
        return BroadcastGradientArgs::run;
    }

    private static void run(KernelContext c) {
        long[] a = dims(c.input(0)), b = dims(c.input(1));
        int rank = Math.max(a.length, b.length);
        long[][] axes = new long[2][rank];
        int[] count = new int[2];
        for (int i = 0; i < rank; i++) {
            long x = at(a, i - rank + a.length), y = at(b, i - rank + b.length);
            if (x != y && x != 1 && y != 1)
                throw new OxbowException(
                        INVALID_ARGUMENT, "Incompatible shapes: %s vs. %s".formatted(Shape.of(a), Shape.of(b)));
            if (x == 1) axes[0][count[0]++] = i;
            if (y == 1) axes[1][count[1]++] = i;
        }
        for (int k = 0; k < 2; k++) {
            Tensor out = c.allocate(k, Shape.of(count[k]));
            for (int i = 0; i < count[k]; i++) out.setLong(i, axes[k][i]);
        }
    }

    private static long at(long[] dims, int i) {
        return i < 0 ? 1 : dims[i];
    }

    private static long[] dims(Tensor t) {
        long[] d = new long[Counts.toInt(t.size())];
        for (int i = 0; i < d.length; i++) d[i] = t.getLong(i);
        return d;
    }
}
