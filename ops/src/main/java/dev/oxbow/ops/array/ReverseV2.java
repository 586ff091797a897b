package dev.oxbow.ops.array;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.UNIMPLEMENTED;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Moving;
import dev.oxbow.graph.Pieces;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Shape;
import java.util.Arrays;
import java.util.List;

/** The input turned around along axes. */
@Signature(
        "ReverseV2(tensor: T, axis: Tidx) -> (output: T) {Tidx: type in [INT32 INT64] = INT32; T: type in [REAL COMPLEX BOOL STRING]}")
public record ReverseV2() implements Differentiable, Moving {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Arguments.rank("axis", c.shape(1), 1);
        long[] axes = c.longs(1);
        Shape x = c.shape(0);
        require(x.rank() <= 8, UNIMPLEMENTED, "ReverseV2 is not implemented for tensors of rank > 8, got %s", x);
        if (axes != null && x.isRankKnown()) reversed(axes, x.rank());
        return List.of(c.input(0));
    }

    private static boolean[] reversed(long[] axes, int rank) {
        boolean[] reversed = new boolean[rank];
        for (long a : axes) {
            require(a >= -rank && a < rank, INVALID_ARGUMENT, "axis %d is out of valid range [%d, %d)", a, -rank, rank);
            int d = (int) (a < 0 ? a + rank : a);
            require(!reversed[d], INVALID_ARGUMENT, "axis %d specified more than once.", d);
            reversed[d] = true;
        }
        return reversed;
    }

    @Override
    public Pieces cut(InferenceContext c, List<TensorType> outputs, int axis) {
        long[] along = c.longs(1);
        if (along == null) return null;
        for (long a : along) if (axis == Math.floorMod(a, (long) c.shape(0).rank())) return null;
        return Pieces.along(axis, outputs, axis, Pieces.WHOLE);
    }

    @Override
    public Kernel cpu() {
        return c -> dev.oxbow.kernels.move.Reverse.run(
                c.input(0),
                reversed(Arguments.longs(c.input(1)), c.input(0).shape().rank()),
                c.output(0),
                c.parallel());
    }

    /** dy turned around likewise. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return Arrays.asList(Value.apply(this, g.gradient(0), g.input(1)), null);
    }
}
