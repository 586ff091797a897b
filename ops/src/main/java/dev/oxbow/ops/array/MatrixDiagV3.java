package dev.oxbow.ops.array;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.move.Diagonals;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.Shape;
import java.util.Arrays;
import java.util.List;

/** Matrices with given diagonals, from k[1] down to k[0], and padding elsewhere. */
@Signature(
        "MatrixDiagV3(diagonal: T, k: int32, num_rows: int32, num_cols: int32, padding_value: T) -> (output: T) {T: type; align: string in [\"LEFT_RIGHT\" \"RIGHT_LEFT\" \"LEFT_LEFT\" \"RIGHT_RIGHT\"] = \"RIGHT_LEFT\"}")
public record MatrixDiagV3(String align) implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        for (int i = 2; i < 5; i++) c.scalar(i);
        Diagonals.Band band = Bands.of(c.longs(1), align);
        long[] rows = c.longs(2), columns = c.longs(3);
        if (band == null || rows == null || columns == null)
            return List.of(c.input(0).withShape(Shape.UNKNOWN));
        return List.of(c.input(0).withShape(Bands.matrices(c.shape(0), band, rows[0], columns[0])));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Diagonals.Band band = Bands.of(Arguments.longs(c.input(1)), align);
            Diagonals.make(c.input(0), band, c.input(4), c.output(0), c.parallel());
        };
    }

    /** The diagonals of dy. */
    @Override
    public List<Value> gradient(GradientContext g) {
        Value dy = g.gradient(0);
        Value d = Value.apply(new MatrixDiagPartV3(align), dy, g.input(1), dy.constantLike(0));
        return Arrays.asList(d, null, null, null, null);
    }
}
