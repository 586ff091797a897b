package dev.oxbow.ops.nn;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import java.util.ArrayList;
import java.util.List;

/** A layer of LSTM cells over time, up to seq_len_max steps; zeros after them. Columns of w are i, f, ci, o. */
@Signature(
        "BlockLSTMV2(seq_len_max: int64, x: T, cs_prev: T, h_prev: T, w: T, wci: T, wcf: T, wco: T, b: T) -> (i: T, cs: T, f: T, o: T, ci: T, co: T, h: T) {cell_clip: float = 0.0; use_peephole: bool = false; T: type in [HALF FLOAT]}")
public record BlockLSTMV2(float cellClip, boolean usePeephole) implements Differentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return block().infer(c, 1);
    }

    private LstmBlocks block() {
        return new LstmBlocks(true, usePeephole, 0, cellClip);
    }

    @Override
    public Kernel cpu() {
        return block().sequence();
    }

    /** Backwards through time. */
    @Override
    public List<Value> gradient(GradientContext g) {
        List<Value> inputs = new ArrayList<>();
        for (int i = 0; i < 9; i++) inputs.add(g.input(i));
        for (int i = 0; i < 7; i++) inputs.add(g.output(i));
        inputs.add(g.gradient(1));
        inputs.add(g.gradient(6));
        List<Value> gradients =
                new ArrayList<>(Value.applyAll(new BlockLSTMGradV2(usePeephole), inputs.toArray(Value[]::new)));
        gradients.add(0, null);
        return gradients;
    }
}
