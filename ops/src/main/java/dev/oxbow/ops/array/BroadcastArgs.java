package dev.oxbow.ops.array;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.Shape;
import java.util.Arrays;
import java.util.List;

/** The shape that two shapes broadcast to. */
@Signature("BroadcastArgs(s0: T, s1: T) -> (r0: T) {T: type in [INT32 INT64] = INT32}")
public record BroadcastArgs() implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        for (int i = 0; i < 2; i++) Arguments.rank("s" + i, c.shape(i), 1);
        long[] a = c.longs(0), b = c.longs(1);
        if (a != null && b != null) both(a, b);
        long m = c.shape(0).dim(0), n = c.shape(1).dim(0);
        return List.of(c.input(0).withShape(Shape.of(m < 0 || n < 0 ? -1 : Math.max(m, n))));
    }

    private static Shape both(long[] a, long[] b) {
        Shape s = Shape.broadcast(Shape.of(a), Shape.of(b));
        require(s != null, INVALID_ARGUMENT, "Incompatible shapes: %s vs %s", Arrays.toString(a), Arrays.toString(b));
        return s;
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Shape s = both(Arguments.longs(c.input(0)), Arguments.longs(c.input(1)));
            for (int d = 0; d < s.rank(); d++) c.output(0).setLong(d, s.dim(d));
        };
    }
}
