package dev.oxbow.ops.text;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.OUT_OF_RANGE;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** Strings joined along axes, the one named first within those named later. */
@Signature(
        "ReduceJoin(inputs: string, reduction_indices: int32) -> (output: string) {keep_dims: bool = false; separator: string = \"\"}")
public record ReduceJoin(boolean keepDims, String separator) implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Shape s = c.shape(0);
        long[] axes = c.longs(1);
        if (!s.isRankKnown() || axes == null) return List.of(TensorType.of(DType.STRING));
        boolean[] reduced = new boolean[s.rank()];
        for (int a : axes(s.rank(), axes)) reduced[a] = true;
        Shape out = Shape.SCALAR;
        for (int d = 0; d < s.rank(); d++) {
            if (!reduced[d]) out = out.concat(Shape.of(s.dim(d)));
            else if (keepDims) out = out.concat(Shape.of(1));
        }
        return List.of(new TensorType(DType.STRING, out));
    }

    /** The axes that are joined, the innermost first. */
    private static int[] axes(int rank, long[] named) {
        int[] axes = new int[named.length];
        boolean[] seen = new boolean[rank];
        for (int i = 0; i < axes.length; i++) {
            require(
                    named[i] >= -rank && named[i] < rank,
                    OUT_OF_RANGE,
                    "Invalid reduction dimension %d for input with %d dimension(s)",
                    named[i],
                    rank);
            axes[i] = (int) (named[i] < 0 ? named[i] + rank : named[i]);
            require(!seen[axes[i]], INVALID_ARGUMENT, "Duplicate reduction dimension %d", named[i]);
            seen[axes[i]] = true;
        }
        return axes;
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor x = c.input(0), y = c.output(0);
            long[] named = new long[Counts.toInt(c.input(1).size())];
            for (int i = 0; i < named.length; i++) named[i] = c.input(1).getLong(i);
            int[] axes = axes(x.shape().rank(), named);
            long[] strides = x.shape().strides();
            long inner = 1;
            for (int a : axes) inner *= x.shape().dim(a);
            boolean[] reduced = new boolean[x.shape().rank()];
            for (int a : axes) reduced[a] = true;
            for (int i = 0; i < y.size(); i++) {
                long base = 0, rest = i;
                for (int d = x.shape().rank() - 1; d >= 0; d--) {
                    if (reduced[d]) continue;
                    base += rest % x.shape().dim(d) * strides[d];
                    rest /= x.shape().dim(d);
                }
                List<byte[]> parts = new ArrayList<>();
                for (long k = 0; k < inner; k++) {
                    long at = base, left = k;
                    for (int a = 0; a < axes.length; a++) {
                        at += left % x.shape().dim(axes[a]) * strides[axes[a]];
                        left /= x.shape().dim(axes[a]);
                    }
                    parts.add(Strings.get(x, at));
                }
                y.objects()[i] = Strings.join(parts, Strings.attribute(separator));
            }
        };
    }
}
