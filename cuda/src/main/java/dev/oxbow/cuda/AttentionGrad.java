package dev.oxbow.cuda;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.ArrayList;
import java.util.List;

/**
 * The gradients of {@link Attention} to its inputs, of its results and their gradient; {@code room} is memory that they are
 * computed in, so that a step's plan has it where other values do not lie yet. Made when a card's part is compiled.
 */
@Signature(
        "_AttentionGrad(qkv: N*T, y: T, stats: float, dy: T) -> (dqkv: N*T, room: uint8) {N: int >= 1; T: type in [HALF BFLOAT16]; scale: float = 1.0; causal: bool = false; workspace: int = 0}")
public record AttentionGrad(float scale, boolean causal, long workspace) implements Op {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        List<TensorType> all = new ArrayList<>();
        for (int i = 0; i < c.inputCount() - 3; i++) all.add(c.input(i));
        all.add(new TensorType(DType.U8, Shape.of(workspace)));
        return all;
    }

    @Override
    public double work(InferenceContext c, List<TensorType> outputs) {
        return 10.0 * Attention.heads(c)[0].size() * Attention.heads(c)[1].dim(1);
    }

    @Override
    public Kernel cpu() {
        return c -> new HostAttention(c, scale, causal).backward();
    }
}
