package dev.oxbow.graph;

import dev.oxbow.tensor.Shape;
import java.util.Arrays;
import java.util.List;

/**
 * How an op falls into pieces, each of which its kernel computes by itself: a piece is a range of indices of one
 * dimension of the outputs, or of inputs over which the outputs are sums.
 *
 * @param inputs for each input, the axis of which that range is needed, {@link #WHOLE} or {@link #SHAPE}
 * @param outputs for each output, the axis of which that range is computed; {@link #WHOLE} where pieces give summands
 * @param multiple at whose multiples pieces of rows begin, so that the bits are those of the whole; 0 where a piece is a
 *     call with operands of its own, not a part of one call
 */
public record Pieces(int[] inputs, int[] outputs, long multiple) {
    /** All of it. */
    public static final int WHOLE = -1;
    /** All of it, which spells the shape of the first output: the element of the cut axis follows the piece. */
    public static final int SHAPE = -2;

    /** Rows of all outputs, wherever they begin, from rows of inputs and the whole of others. */
    public static Pieces rows(List<TensorType> outputs, int... inputs) {
        return new Pieces(inputs, everywhere(outputs, 0), 1);
    }

    /** Ranges of one axis, the same of all outputs, by calls of their own. */
    public static Pieces along(int axis, List<TensorType> outputs, int... inputs) {
        return new Pieces(inputs, everywhere(outputs, axis), 0);
    }

    /** Summands of all outputs. */
    public static Pieces summands(List<TensorType> outputs, int... inputs) {
        return new Pieces(inputs, everywhere(outputs, WHOLE), 0);
    }

    /** The same as calls of their own. */
    public Pieces apart() {
        return new Pieces(inputs, outputs, 0);
    }

    private static int[] everywhere(List<TensorType> outputs, int axis) {
        int[] all = new int[outputs.size()];
        Arrays.fill(all, axis);
        return all;
    }

    /** By broadcasting: inputs that have the size of the output's axis there are cut, those that are repeated not. */
    public static Pieces broadcast(InferenceContext c, List<TensorType> outputs, int axis) {
        Shape y = outputs.get(0).shape();
        int[] cut = new int[c.inputCount()];
        for (int i = 0; i < cut.length; i++) {
            int at = axis - y.rank() + c.shape(i).rank();
            cut[i] = at >= 0 && c.shape(i).dim(at) == y.dim(axis) ? at : WHOLE;
        }
        return along(axis, outputs, cut);
    }

    /** Whether pieces are rows of one call, so that a chain of calls can go through them. */
    public boolean areRows() {
        for (int a : inputs) if (a > 0) return false;
        for (int a : outputs) if (a != 0) return false;
        return multiple > 0;
    }

    /** For each input, whether rows of it are needed rather than all. */
    public boolean[] rowInputs() {
        boolean[] rows = new boolean[inputs.length];
        for (int i = 0; i < rows.length; i++) rows[i] = inputs[i] == 0;
        return rows;
    }

    /** Whether an input of a broadcasting kernel has rows of its own for those of the output. */
    public static boolean hasRows(Shape input, Shape output) {
        return output.rank() > 0 && input.rank() == output.rank() && input.dim(0) == output.dim(0) && input.dim(0) > 1;
    }
}
