package dev.oxbow.kernels.expr.reduce;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.tensor.Shape;
import java.util.Arrays;

/** Which axes of a shape are reduced; neighbours of one sort are collapsed, so that kept and reduced ones alternate. */
final class Axes {
    final long[] dims;
    final boolean[] reduced;
    /** How far one step along each collapsed dimension moves in the output; 0 for reduced ones. */
    final long[] steps;
    /** Elements of the input. */
    final long total;
    /** Elements of the output. */
    final long kept;

    private Axes(long[] dims, boolean[] reduced, long total, long kept) {
        this.dims = dims;
        this.reduced = reduced;
        this.total = total;
        this.kept = kept;
        this.steps = new long[dims.length];
        long step = 1;
        for (int d = dims.length - 1; d >= 0; d--) {
            if (reduced[d]) continue;
            steps[d] = step;
            step *= dims[d];
        }
    }

    static Axes of(Shape shape, int[] axes) {
        int rank = shape.rank();
        boolean[] flags = new boolean[rank];
        for (int axis : axes) flags[index(axis, rank)] = true;
        long[] dims = new long[rank + 1];
        boolean[] reduced = new boolean[rank + 1];
        int n = 0;
        long kept = 1;
        for (int d = 0; d < rank; d++) {
            if (!flags[d]) kept *= shape.dim(d);
            if (shape.dim(d) == 1) continue;
            if (n > 0 && reduced[n - 1] == flags[d]) {
                dims[n - 1] *= shape.dim(d);
            } else {
                dims[n] = shape.dim(d);
                reduced[n++] = flags[d];
            }
        }
        if (n == 0) dims[n++] = 1;
        return new Axes(Arrays.copyOf(dims, n), Arrays.copyOf(reduced, n), shape.size(), kept);
    }

    /** An axis counted from the front. */
    static int index(int axis, int rank) {
        require(
                axis >= -rank && axis < rank,
                INVALID_ARGUMENT,
                "Invalid reduction dimension (%d for input with %d dimension(s)",
                axis,
                rank);
        return axis < 0 ? axis + rank : axis;
    }

    /** The output element that input element {@code at} belongs to. */
    long output(long at) {
        long out = 0, rest = at;
        for (int d = dims.length - 1; d > 0; d--) {
            if (steps[d] != 0) out += rest % dims[d] * steps[d];
            rest /= dims[d];
        }
        return out + rest * steps[0];
    }
}
