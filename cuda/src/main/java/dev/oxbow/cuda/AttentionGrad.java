package dev.oxbow.cuda;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.List;

/**
 * The gradients of {@link Attention} to its inputs, of its results and their gradient; {@code room} is memory that they are
 * computed in, so that a step's plan has it where other values do not lie yet. Made when a card's part is compiled.
 */
@Signature(
        "_AttentionGrad(q: T, k: T, v: T, y: T, stats: float, dy: T) -> (dq: T, dk: T, dv: T, room: uint8) {T: type in [HALF BFLOAT16]; scale: float = 1.0; causal: bool = false; workspace: int = 0}")
public record AttentionGrad(float scale, boolean causal, long workspace) implements Op {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return List.of(c.input(0), c.input(1), c.input(2), new TensorType(DType.U8, Shape.of(workspace)));
    }

    @Override
    public double work(InferenceContext c, List<TensorType> outputs) {
        return 10.0 * c.shape(0).size() * c.shape(1).dim(1);
    }

    @Override
    public Kernel cpu() {
        return c -> new HostAttention(c, scale, causal).backward();
    }
}
