package dev.oxbow.ops.array;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.move.Diagonals;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.Arrays;
import java.util.List;

/** Matrices with zeros outside of a band around the main diagonal. */
@Signature(
        "MatrixBandPart(input: T, num_lower: Tindex, num_upper: Tindex) -> (band: T) {T: type; Tindex: type in [INT32 INT64] = INT64}")
public record MatrixBandPart() implements Differentiable {

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

    /** dy with zeros outside of the band. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return Arrays.asList(Value.apply(this, g.gradient(0), g.input(1), g.input(2)), null, null);
    }
}
