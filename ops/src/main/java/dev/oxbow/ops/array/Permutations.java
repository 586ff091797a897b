package dev.oxbow.ops.array;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.ops.Arguments;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;

/** What transpositions share. */
final class Permutations {
    private Permutations() {}

    static Shape infer(InferenceContext c) {
        Shape x = c.shape(0);
        Arguments.rank("perm", c.shape(1), 1);
        long[] order = c.longs(1);
        if (!x.isRankKnown()) return Shape.ofRank(c.shape(1).dim(0));
        require(
                c.shape(1).dim(0) < 0 || c.shape(1).dim(0) == x.rank(),
                INVALID_ARGUMENT,
                "perm must have size %d, got %s",
                x.rank(),
                c.shape(1));
        if (order == null) return Shape.ofRank(x.rank());
        int[] permutation = check(order);
        return Shape.of(Arrays.stream(permutation).mapToLong(x::dim).toArray());
    }

    /** The order with negative entries counted from the end, each dimension exactly once. */
    static int[] check(long[] order) {
        int n = order.length;
        boolean[] seen = new boolean[n];
        int[] permutation = new int[n];
        for (int i = 0; i < n; i++) {
            long d = order[i] < 0 ? order[i] + n : order[i];
            require(d >= 0 && d < n, INVALID_ARGUMENT, "%d is out of range [0 .. %d)", order[i], n);
            seen[(int) d] = true;
            permutation[i] = (int) d;
        }
        for (int d = 0; d < n; d++)
            if (!seen[d]) throw new OxbowException(INVALID_ARGUMENT, d + " is missing from " + Arrays.toString(order));
        return permutation;
    }

    static void run(KernelContext c) {
        Tensor x = c.input(0), order = c.input(1);
        if (c.isAllocated(0) && x.shape().rank() == 2 && isSwap(order)) { // without an array to hold the order
            dev.oxbow.kernels.move.Transpose.matrix(x, c.output(0), c.parallel());
            return;
        }
        int[] permutation = check(Arguments.longs(order));
        Tensor y = c.isAllocated(0)
                ? c.output(0)
                : c.allocate(
                        0,
                        Shape.of(Arrays.stream(permutation)
                                .mapToLong(x.shape()::dim)
                                .toArray()));
        dev.oxbow.kernels.move.Transpose.run(x, permutation, y, c.parallel());
    }

    private static boolean isSwap(Tensor order) {
        if (order.size() != 2) return false;
        long first = order.getLong(0), second = order.getLong(1);
        return (first == 1 || first == -1) && (second == 0 || second == -2);
    }
}
