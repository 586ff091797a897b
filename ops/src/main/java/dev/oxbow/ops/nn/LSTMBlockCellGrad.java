package dev.oxbow.ops.nn;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** Gradient of {@code LSTMBlockCell} to the previous state, to the gates before their functions, and to the peepholes. */
@Signature(
        "LSTMBlockCellGrad(x: T, cs_prev: T, h_prev: T, w: T, wci: T, wcf: T, wco: T, b: T, i: T, cs: T, f: T, o: T, ci: T, co: T, cs_grad: T, h_grad: T) -> (cs_prev_grad: T, dicfo: T, wci_grad: T, wcf_grad: T, wco_grad: T) {use_peephole: bool; T: type in [HALF FLOAT]}")
public record LSTMBlockCellGrad(boolean usePeephole) implements Op {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Shape cs = block().checkGradient(c, 0, 6);
        long cells = cs.dim(1);
        return List.of(
                c.input(1).withShape(cs),
                c.input(1).withShape(Shape.of(cs.dim(0), cells < 0 ? -1 : 4 * cells)),
                c.input(4),
                c.input(5),
                c.input(6));
    }

    private LstmBlocks block() {
        return new LstmBlocks(false, usePeephole, 0, 0);
    }

    @Override
    public Kernel cpu() {
        return block().stepGradient();
    }
}
