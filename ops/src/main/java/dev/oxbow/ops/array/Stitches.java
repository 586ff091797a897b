package dev.oxbow.ops.array;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.Parallel;
import dev.oxbow.kernels.move.Strided;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/** What both dynamic stitches share: rows of several inputs merged by index, later ones over earlier ones. */
final class Stitches {
    private Stitches() {}

    static List<TensorType> infer(InferenceContext c) {
        int n = c.inputCount() / 2;
        long rows = 0;
        Shape rest = Shape.UNKNOWN;
        for (int i = 0; i < n; i++) {
            Shape indices = c.shape(i), data = c.shape(n + i);
            if (rows >= 0) {
                Tensor v = c.constant(i);
                if (v == null) rows = -1;
                else for (long j = 0; j < v.size(); j++) rows = Math.max(rows, v.getLong(j) + 1);
            }
            if (!indices.isRankKnown() || !data.isRankKnown()) continue;
            require(
                    data.rank() >= indices.rank()
                            && data.slice(0, indices.rank()).isCompatibleWith(indices),
                    INVALID_ARGUMENT,
                    "data[%d].shape = %s does not start with indices[%d].shape = %s",
                    i,
                    data,
                    i,
                    indices);
            rest = Arguments.merge(rest, data.slice(indices.rank(), data.rank()));
        }
        return List.of(c.input(n).withShape(Shape.of(rows).concat(rest)));
    }

    static void run(KernelContext c) {
        int n = c.inputCount() / 2;
        Tensor y = c.output(0);
        if (y.size() == 0) return;
        long rows = y.shape().dim(0), inner = y.size() / rows;
        Fills.zero(y);
        for (int i = 0; i < n; i++) {
            Tensor indices = c.input(i), data = c.input(n + i);
            for (long j = 0; j < indices.size(); j++) {
                long at = indices.getLong(j);
                require(
                        at >= 0 && at < rows,
                        INVALID_ARGUMENT,
                        "indices[%d] is out of range: %d is not in [0, %d)",
                        i,
                        at,
                        rows);
                Strided.copy(
                        data,
                        j * inner,
                        new long[] {1},
                        y,
                        at * inner,
                        new long[] {1},
                        new long[] {inner},
                        Parallel.SERIAL);
            }
        }
    }

    static List<Value> gradient(GradientContext g) {
        int n = g.node().inputCount() / 2;
        Value[] d = new Value[2 * n];
        for (int i = 0; i < n; i++) d[n + i] = g.gradient(0).gather(g.input(i), 0);
        return Arrays.asList(d);
    }

    /** Rows put together by index. */
    interface Stitch extends Differentiable {
        @Override
        default List<TensorType> infer(InferenceContext c) {
            return Stitches.infer(c);
        }

        @Override
        default Kernel cpu() {
            return c -> Stitches.run(c);
        }

        /** {@code ddata[i] = dmerged[indices[i]]}. */
        @Override
        default List<Value> gradient(GradientContext g) {
            return Stitches.gradient(g);
        }
    }
}
