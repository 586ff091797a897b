package dev.oxbow.ops.array;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Moving;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/** A box of the input: {@code size} elements from {@code begin} in every dimension; a size of -1 goes to the end. */
@Signature("Slice(input: T, begin: Index, size: Index) -> (output: T) {T: type; Index: type in [INT32 INT64]}")
public record Slice() implements Differentiable, Moving {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Shape x = c.shape(0);
        long[] begin = c.longs(1), size = c.longs(2);
        for (int i = 1; i < 3; i++)
            require(
                    c.shape(i).rank() < 0
                            || c.shape(i).rank() == 1
                                    && (x.rank() < 0
                                            || c.shape(i).dim(0) < 0
                                            || c.shape(i).dim(0) == x.rank()),
                    INVALID_ARGUMENT,
                    "Expected begin and size arguments to be 1-D tensors of size %d, but got shape %s",
                    x.rank(),
                    c.shape(i));
        c.sameShape(1, 2);
        int rank = x.rank() >= 0 ? x.rank() : begin != null ? begin.length : size != null ? size.length : -1;
        if (rank < 0) return List.of(c.input(0).withShape(Shape.UNKNOWN));
        long[] dims = new long[rank];
        for (int d = 0; d < rank; d++) {
            long n = x.dim(d), from = begin == null ? -1 : begin[d], count = size == null ? -1 : size[d];
            if (begin != null)
                require(
                        from >= 0 && (n < 0 || from <= n),
                        INVALID_ARGUMENT,
                        "Expected begin[%d] in [0, %d], but got %d",
                        d,
                        n,
                        from);
            dims[d] = count >= 0 ? count : size == null || n < 0 || from < 0 ? -1 : n - from;
            require(
                    count >= -1 && (n < 0 || count <= n - Math.max(0, from)),
                    INVALID_ARGUMENT,
                    "Expected size[%d] in [0, %d], but got %d",
                    d,
                    n - Math.max(0, from),
                    count);
        }
        return List.of(c.input(0).withShape(Shape.of(dims)));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor x = c.input(0);
            long[] begin = Arguments.longs(c.input(1)), size = Arguments.longs(c.input(2));
            for (int d = 0; d < size.length; d++)
                if (size[d] < 0) size[d] = x.shape().dim(d) - begin[d];
            Tensor y = c.isAllocated(0) ? c.output(0) : c.allocate(0, Shape.of(size));
            dev.oxbow.kernels.move.Slice.read(x, begin, size, y, c.parallel());
        };
    }

    /** {@code dx = dy} surrounded by zeros. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value x = g.input(0), begin = g.input(1), y = g.output(0);
        Value ahead = begin.cast(DType.I32),
                behind = x.runtimeShape().minus(y.runtimeShape()).minus(ahead);
        Value paddings = Value.apply(new Pack(1), ahead, behind);
        return Arrays.asList(Value.apply(new Pad(), g.gradient(0), paddings), null, null);
    }
}
