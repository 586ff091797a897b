package dev.oxbow.ops.array;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Moving;
import dev.oxbow.graph.Pieces;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Values joined along an axis. */
@Signature(
        "ConcatV2(values: N*T, axis: Tidx) -> (output: T) {N: int >= 2; T: type; Tidx: type in [INT32 INT64] = INT32}")
public record ConcatV2() implements Differentiable, Moving {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        int n = c.inputCount() - 1;
        require(
                c.shape(n).rank() <= 0,
                INVALID_ARGUMENT,
                "axis tensor should be a scalar integer, but got shape %s",
                c.shape(n));
        return List.of(c.input(0).withShape(Joins.infer(c, 0, n, c.longs(n))));
    }

    @Override
    public Pieces cut(InferenceContext c, List<TensorType> outputs, int axis) {
        int inputs = c.inputCount() - 1, rank = outputs.get(0).shape().rank();
        long[] along = c.longs(inputs);
        if (along == null || axis == (along[0] < 0 ? along[0] + rank : along[0])) return null;
        int[] cut = new int[inputs + 1];
        Arrays.fill(cut, axis);
        cut[inputs] = Pieces.WHOLE;
        return axis == 0 ? Pieces.rows(outputs, cut) : Pieces.along(axis, outputs, cut);
    }

    @Override
    public Kernel cpu() {
        return c ->
                Joins.run(c, 0, c.inputCount() - 1, c.input(c.inputCount() - 1).getLong(0));
    }

    /** The parts of dy. */
    @Override
    public List<Value> gradient(GradientContext g) {
        int n = g.node().inputCount() - 1;
        List<Value> all = new ArrayList<>(Joins.gradient(g, 0, n, g.input(n)));
        all.add(null);
        return all;
    }
}
