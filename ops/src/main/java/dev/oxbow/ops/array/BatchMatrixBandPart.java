package dev.oxbow.ops.array;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.move.Diagonals;
import dev.oxbow.ops.Arguments;
import java.util.List;

/** Matrices under its old name with zeros outside of a band around the main diagonal. */
@Signature("BatchMatrixBandPart(input: T, num_lower: int64, num_upper: int64) -> (band: T) {T: type}")
public record BatchMatrixBandPart() implements Op {

    @Override
    public List<TensorType> infer(InferenceContext c) {
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
    public Kernel cpu() {
        return c ->
                Diagonals.bandPart(c.input(0), c.input(1).getLong(0), c.input(2).getLong(0), c.output(0), c.parallel());
    }
}
