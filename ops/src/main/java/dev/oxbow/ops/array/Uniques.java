package dev.oxbow.ops.array;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.Parallel;
import dev.oxbow.kernels.move.Gather;
import dev.oxbow.kernels.numeric.Unique;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** What the unique ops share. */
final class Uniques {
    private Uniques() {}

    static List<TensorType> infer(InferenceContext c, DType index, boolean counted) {
        Shape x = c.shape(0), y, idx = Shape.of(-1);
        long[] axis = c.inputCount() > 1 ? c.longs(1) : new long[0];
        if (axis == null || !x.isRankKnown()) {
            y = x.isRankKnown() ? Shape.ofRank(x.rank()) : Shape.UNKNOWN;
        } else {
            int at = axis(x, axis);
            y = x.withDim(at, -1);
            idx = Shape.of(x.dim(at));
        }
        List<TensorType> types = new ArrayList<>();
        types.add(c.input(0).withShape(y));
        types.add(new TensorType(index, idx));
        if (counted) types.add(new TensorType(index, Shape.of(-1)));
        return types;
    }

    private static int axis(Shape x, long[] axis) {
        if (axis.length == 0) {
            require(x.rank() == 1, INVALID_ARGUMENT, "unique expects a 1D vector, got shape %s", x);
            return 0;
        }
        require(
                axis.length == 1,
                INVALID_ARGUMENT,
                "axis does not support input tensors larger than 1 elements, got %d",
                axis.length);
        return Arguments.axis(axis[0], x.rank());
    }

    static void run(KernelContext c) {
        Tensor x = c.input(0);
        Shape s = x.shape();
        int at = axis(s, c.inputCount() > 1 ? Arguments.longs(c.input(1)) : new long[0]);
        long outer = s.size(0, at), n = s.dim(at), inner = s.size(at + 1, s.rank());
        boolean numbers = outer * inner == 1 && x.dtype().isInteger();
        Unique u = numbers ? Unique.ofNumbers(x) : Unique.of(Counts.toInt(n), i -> Keys.slice(x, outer, n, inner, i));
        Unique.write(u.index(), c.isAllocated(1) ? c.output(1) : c.allocate(1, Shape.of(n)));
        long m = u.first().length;
        Tensor y = c.allocate(0, s.withDim(at, m));
        Tensor first = c.temporary(DType.I32, Shape.of(m));
        Unique.write(u.first(), first);
        Gather.run(x, first, at, 0, y, Parallel.SERIAL);
        first.release();
        if (c.outputCount() == 3) Unique.write(u.counts(), c.allocate(2, Shape.of(m)));
    }

    /** Distinct elements and where each is. */
    interface First extends NotDifferentiable {
        DType outIdx();

        @Override
        default List<TensorType> infer(InferenceContext c) {
            return Uniques.infer(c, outIdx(), false);
        }

        @Override
        default Kernel cpu() {
            return c -> Uniques.run(c);
        }
    }

    /** Distinct elements, where each is, and how often. */
    interface Counted extends NotDifferentiable {
        DType outIdx();

        @Override
        default List<TensorType> infer(InferenceContext c) {
            return Uniques.infer(c, outIdx(), true);
        }

        @Override
        default Kernel cpu() {
            return c -> Uniques.run(c);
        }
    }
}
