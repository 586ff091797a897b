package dev.oxbow.ops.math;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Arguments;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/** The gradient ops of sparse segment reductions. */
final class SegmentGradients {
    private SegmentGradients() {}

    static List<TensorType> infer(InferenceContext c) {
        Arguments.scalar("output_dim0", c.shape(3));
        check(c);
        long[] n = c.longs(3);
        Shape dy = c.shape(0);
        require(n == null || n[0] >= 0, INVALID_ARGUMENT, "output_dim0 must be >= 0, got %s", n == null ? "?" : n[0]);
        return List.of(c.input(0).withShape(dy.isRankKnown() ? dy.withDim(0, n == null ? -1 : n[0]) : dy));
    }

    static Kernel kernel(Segments.Kind kind) {
        return c -> Segments.scatter(c, kind, c.input(0), Arguments.longs(c.input(1)), c.input(2), c.output(0));
    }

    private static void check(InferenceContext c) {
        c.rankAtLeast(0, 1);
        c.sameSize(1, 2);
    }

    static List<TensorType> inferSparse(InferenceContext c) {
        check(c);
        Shape dy = c.shape(0);
        return List.of(
                c.input(0).withShape(dy.isRankKnown() ? dy.withDim(0, -1) : dy),
                c.input(1).withShape(Shape.of(-1)));
    }

    static Kernel sparseKernel(Segments.Kind kind) {
        return c -> {
            Tensor dy = c.input(0);
            long[] indices = Arguments.longs(c.input(1));
            long[] unique = Arrays.stream(indices).sorted().distinct().toArray();
            long[] targets = Arrays.stream(indices)
                    .map(i -> Arrays.binarySearch(unique, i))
                    .toArray();
            Tensor y = c.allocate(0, dy.shape().withDim(0, unique.length));
            Tensor list = c.allocate(1, Shape.of(unique.length));
            for (int i = 0; i < unique.length; i++) list.setLong(i, unique[i]);
            Segments.scatter(c, kind, dy, targets, c.input(2), y);
        };
    }
}
