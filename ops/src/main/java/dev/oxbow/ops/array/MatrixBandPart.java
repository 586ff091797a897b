package dev.oxbow.ops.array;

import dev.oxbow.graph.Signature;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.Arrays;
import java.util.List;

/** Matrices with zeros outside of a band around the main diagonal. */
@Signature(
        "MatrixBandPart(input: T, num_lower: Tindex, num_upper: Tindex) -> (band: T) {T: type; Tindex: type in [INT32 INT64] = INT64}")
public record MatrixBandPart() implements Differentiable, DiagonalVersions.Band {

    /** dy with zeros outside of the band. */
    @Override
    public List<Value> gradient(GradientContext g) {
        return Arrays.asList(Value.apply(this, g.gradient(0), g.input(1), g.input(2)), null, null);
    }
}
