package dev.oxbow.ops.nn;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import java.util.List;

/** Gradient of {@code BlockLSTMV2} to x, the first state, w, the peepholes and b. */
@Signature(
        "BlockLSTMGradV2(seq_len_max: int64, x: T, cs_prev: T, h_prev: T, w: T, wci: T, wcf: T, wco: T, b: T, i: T, cs: T, f: T, o: T, ci: T, co: T, h: T, cs_grad: T, h_grad: T) -> (x_grad: T, cs_prev_grad: T, h_prev_grad: T, w_grad: T, wci_grad: T, wcf_grad: T, wco_grad: T, b_grad: T) {use_peephole: bool; T: type in [HALF FLOAT]}")
public record BlockLSTMGradV2(boolean usePeephole) implements Op {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        block().checkGradient(c, 1, 7);
        return List.of(c.input(1), c.input(2), c.input(3), c.input(4), c.input(5), c.input(6), c.input(7), c.input(8));
    }

    private LstmBlocks block() {
        return new LstmBlocks(true, usePeephole, 0, 0);
    }

    @Override
    public Kernel cpu() {
        return block().sequenceGradient();
    }
}
