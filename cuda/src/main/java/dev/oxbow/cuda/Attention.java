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
 * {@code softmax(scale q k^T) v} for each head of {@code [batch, time, heads, channels]}, where a causal one looks at no later
 * position; {@code stats} are the logarithms of the softmax's sums, for the gradient. Queries, keys and values are three, or
 * lie in one {@code [batch, time, 3, heads, channels]}. Made when a card's part is compiled.
 */
@Signature(
        "_Attention(qkv: N*T) -> (y: T, stats: float) {N: int >= 1; T: type in [HALF BFLOAT16]; scale: float = 1.0; causal: bool = false}")
public record Attention(float scale, boolean causal) implements Op {

    /** The shapes of queries and keys. */
    static Shape[] heads(InferenceContext c) {
        Shape q = c.shape(0);
        if (q.rank() != 5) return new Shape[] {q, c.shape(1)};
        Shape one = Shape.of(q.dim(0), q.dim(1), q.dim(3), q.dim(4));
        return new Shape[] {one, one};
    }

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Shape q = heads(c)[0];
        return List.of(c.input(0).withShape(q), new TensorType(DType.F32, Shape.of(q.dim(0), q.dim(2), q.dim(1))));
    }

    @Override
    public double work(InferenceContext c, List<TensorType> outputs) {
        return 4.0 * heads(c)[0].size() * heads(c)[1].dim(1);
    }

    @Override
    public Kernel cpu() {
        return c -> new HostAttention(c, scale, causal).forward();
    }
}
