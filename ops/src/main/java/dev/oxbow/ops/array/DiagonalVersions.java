package dev.oxbow.ops.array;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.move.Diagonals;
import dev.oxbow.ops.Arguments;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** Ops on diagonals that have an older name as well. */
final class DiagonalVersions {
    private DiagonalVersions() {}

    /** A band around the main diagonal. */
    interface Band extends Op {
        @Override
        default List<TensorType> infer(InferenceContext c) {
            c.scalar(1);
            c.scalar(2);
            Arguments.atLeast("input", c.shape(0), 2);
            long[] lower = c.longs(1), upper = c.longs(2);
            long m = c.shape(0).isRankKnown() ? c.shape(0).dim(-2) : -1,
                    n = m < 0 ? -1 : c.shape(0).dim(-1);
            require(
                    lower == null || m < 0 || lower[0] <= m,
                    INVALID_ARGUMENT,
                    "num_lower must be negative or less or equal to number of rows (%d), got %s",
                    m,
                    lower == null ? "?" : lower[0]);
            require(
                    upper == null || n < 0 || upper[0] <= n,
                    INVALID_ARGUMENT,
                    "num_upper must be negative or less or equal to number of columns (%d), got %s",
                    n,
                    upper == null ? "?" : upper[0]);
            return List.of(c.input(0));
        }

        @Override
        default Kernel cpu() {
            return c -> Diagonals.bandPart(
                    c.input(0), c.input(1).getLong(0), c.input(2).getLong(0), c.output(0), c.parallel());
        }
    }

    /** Matrices of main diagonals. */
    interface Diagonal extends Op {
        @Override
        default List<TensorType> infer(InferenceContext c) {
            Arguments.atLeast("diagonal", c.shape(0), 1);
            Shape x = c.shape(0);
            return List.of(c.input(0).withShape(x.isRankKnown() ? x.concat(Shape.of(x.dim(-1))) : x));
        }

        @Override
        default Kernel cpu() {
            return Bands.makeMain();
        }
    }

    /** Main diagonals of matrices. */
    interface DiagonalPart extends Op {
        @Override
        default List<TensorType> infer(InferenceContext c) {
            return List.of(c.input(0).withShape(Bands.diagonals(c.shape(0), Diagonals.Band.MAIN)));
        }

        @Override
        default Kernel cpu() {
            return Bands.partMain();
        }
    }

    /** Matrices with other main diagonals. */
    interface SetDiagonal extends Op {
        @Override
        default List<TensorType> infer(InferenceContext c) {
            return Bands.inferSet(c, Diagonals.Band.MAIN);
        }

        @Override
        default Kernel cpu() {
            return c -> Diagonals.set(c.input(0), c.input(1), Diagonals.Band.MAIN, c.output(0), c.parallel());
        }
    }
}
