package dev.oxbow.ops.array;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Moving;
import dev.oxbow.graph.RowCut;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Arguments;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.ArrayList;
import java.util.List;

/** Values joined along an axis. */
@Signature(
        "ConcatV2(values: N*T, axis: Tidx) -> (output: T) {N: int >= 2; T: type; Tidx: type in [INT32 INT64] = INT32}")
public record ConcatV2() implements Differentiable, Moving {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        int n = c.inputCount() - 1;
        Arguments.scalar("axis", c.shape(n));
        return List.of(c.input(0).withShape(Joins.infer(c, 0, n, c.longs(n))));
    }

    @Override
    public RowCut rowCut(InferenceContext c, List<TensorType> outputs) {
        boolean[] cut = new boolean[c.inputCount()];
        for (int i = 0; i < cut.length - 1; i++) cut[i] = true;
        long[] axis = c.longs(cut.length - 1);
        int rank = outputs.get(0).shape().rank();
        return axis == null || rank < 2 || axis[0] == 0 || axis[0] == -rank ? null : RowCut.of(cut);
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
