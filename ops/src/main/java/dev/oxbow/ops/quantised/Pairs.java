package dev.oxbow.ops.quantised;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.TensorType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** Ops of two inputs of levels that broadcast. */
final class Pairs {
    private Pairs() {}

    /** What is made of two numbers of levels. */
    interface Body {
        long of(long x, long y);
    }

    static List<TensorType> infer(InferenceContext c) {
        Ranged.limits(c, 2, 6);
        Shape s = Shape.broadcast(c.shape(0), c.shape(1));
        require(s != null, INVALID_ARGUMENT, "Incompatible shapes: %s vs. %s", c.shape(0), c.shape(1));
        return Ranged.types(c, s);
    }

    /** The limits of both inputs, which must leave room between them. */
    static Levels[] levels(KernelContext c) {
        Levels x = Levels.of(c.input(0), c, 2), y = Levels.of(c.input(1), c, 4);
        for (Levels l : new Levels[] {x, y})
            require(
                    l.high() > l.low(),
                    INVALID_ARGUMENT,
                    "the greatest value must be larger than the least, got %s and %s",
                    l.high(),
                    l.low());
        return new Levels[] {x, y};
    }

    static void run(KernelContext c, Body body) {
        Tensor x = c.input(0), y = c.input(1), z = c.output(0);
        long[] fromX = steps(x.shape(), z.shape()), fromY = steps(y.shape(), z.shape());
        for (long i = 0; i < z.size(); i++)
            z.setLong(i, (int) body.of(x.getLong(at(i, z.shape(), fromX)), y.getLong(at(i, z.shape(), fromY))));
    }

    /** By dimension of the output, how far apart elements of an input lie; 0 where it is broadcast. */
    private static long[] steps(Shape in, Shape out) {
        long[] steps = new long[out.rank()], strides = in.strides();
        int skipped = out.rank() - in.rank();
        for (int d = skipped; d < steps.length; d++) if (in.dim(d - skipped) != 1) steps[d] = strides[d - skipped];
        return steps;
    }

    private static long at(long i, Shape out, long[] steps) {
        long at = 0;
        for (int d = steps.length - 1; d >= 0; d--) {
            at += i % out.dim(d) * steps[d];
            i /= out.dim(d);
        }
        return at;
    }
}
