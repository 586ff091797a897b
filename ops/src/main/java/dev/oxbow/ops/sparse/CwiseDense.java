package dev.oxbow.ops.sparse;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.move.Combine;
import dev.oxbow.ops.Broadcasting;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.array.BroadcastTo;
import dev.oxbow.ops.array.GatherNd;
import dev.oxbow.ops.array.ScatterNd;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** What the ops share that combine the values of a sparse tensor with a dense one broadcast to its shape. */
final class CwiseDense {
    private CwiseDense() {}

    static List<TensorType> infer(InferenceContext c) {
        return List.of(c.input(1));
    }

    static void run(KernelContext c, Combine how) {
        Coordinates x = Coordinates.of(c.input(0), c.input(1), c.input(2)).inside();
        Tensor dense = c.input(3), y = c.output(0);
        Shape to = Shape.of(x.shape()), both = Shape.broadcast(to, dense.shape());
        require(
                both != null && both.equals(to),
                INVALID_ARGUMENT,
                "broadcasts dense to sparse only; got incompatible shapes: %s vs. %s",
                to,
                dense.shape());
        int w = y.dtype().size(), shift = x.rank() - dense.shape().rank();
        long[] strides = dense.shape().strides();
        Memory.copy(x.values().address(), y.address(), y.byteSize());
        for (int k = 0; k < x.count(); k++) {
            long at = 0;
            for (int d = 0; d < strides.length; d++)
                if (dense.shape().dim(d) > 1) at += x.rows()[k][d + shift] * strides[d];
            how.apply(y.dtype(), y.address() + (long) k * w, dense.address() + at * w, 1);
        }
    }

    /** The elements of a dense value at the coordinates of a sparse one, with broadcasting. */
    static Value at(GradientContext g, Value dense) {
        Value full = Value.apply(new BroadcastTo(), dense, g.input(2));
        return Value.apply(new GatherNd(), full, g.input(0));
    }

    /** A gradient at the coordinates of a sparse value, summed to the shape of the dense one. */
    static Value spread(GradientContext g, Value d) {
        Value dense = g.input(3);
        Value full = Value.apply(new ScatterNd(), g.input(0), d, g.input(2));
        return Broadcasting.reduce(dense, full, full, null).get(0);
    }
}
