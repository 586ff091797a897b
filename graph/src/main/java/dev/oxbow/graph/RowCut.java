package dev.oxbow.graph;

import dev.oxbow.tensor.Shape;

/**
 * How an op's outputs can be computed some rows at a time, where a row is an index of the first dimension: rows of all
 * outputs need the same rows of the inputs marked in {@code inputs} and the whole of the others. Cuts must be at
 * multiples of {@code multiple} rows of the first output, so that the bits are those of the whole.
 */
public record RowCut(boolean[] inputs, long multiple) {

    /** A cut anywhere. */
    public static RowCut of(boolean... inputs) {
        return new RowCut(inputs, 1);
    }

    /** By broadcasting: inputs that have the output's first dimension are cut, those that are repeated along it not. */
    public static RowCut broadcast(InferenceContext c, Shape output) {
        boolean[] cut = new boolean[c.inputCount()];
        for (int i = 0; i < cut.length; i++) cut[i] = isCut(c.shape(i), output);
        return new RowCut(cut, 1);
    }

    public static boolean isCut(Shape input, Shape output) {
        return output.rank() > 0 && input.rank() == output.rank() && input.dim(0) == output.dim(0) && input.dim(0) > 1;
    }
}
