package dev.oxbow.ops.nn;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import java.util.List;

/** One step of a layer of LSTM cells: gates i, f, o, cell input ci, state cs, {@code co = tanh(cs)} and {@code h = co o}. */
@Signature(
        "LSTMBlockCell(x: T, cs_prev: T, h_prev: T, w: T, wci: T, wcf: T, wco: T, b: T) -> (i: T, cs: T, f: T, o: T, ci: T, co: T, h: T) {forget_bias: float = 1.0; cell_clip: float = 3.0; use_peephole: bool = false; T: type in [HALF FLOAT]}")
public record LSTMBlockCell(float forgetBias, float cellClip, boolean usePeephole) implements Op {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return block().infer(c, 0);
    }

    private LstmBlocks block() {
        return new LstmBlocks(false, usePeephole, forgetBias, cellClip);
    }

    @Override
    public Kernel cpu() {
        return block().step();
    }
}
