package dev.oxbow.ops.random;

import dev.oxbow.graph.Effects;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.OpSignature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.random.Distribution;
import dev.oxbow.kernels.random.Philox;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;
import java.util.Map;

/**
 * Elements of what a random op would draw, from number {@code from} of {@code all} on, as many as the shape has that it is
 * given: each is drawn at its index in the whole. Made by plans alone.
 */
public record RandomPiece(Op whole, long from, long all) implements Op {

    /** Whether elements of an op's output can be drawn by themselves. */
    public static boolean isOf(Op op) {
        return op instanceof RandomUniform || op instanceof RandomStandardNormal;
    }

    @Override
    public OpSignature signature() {
        return whole.signature();
    }

    @Override
    public Map<String, Object> attributes() {
        return whole.attributes();
    }

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return whole.infer(c);
    }

    @Override
    public Effects effects() {
        return Effects.RANDOM;
    }

    @Override
    public Kernel cpu() {
        return whole instanceof RandomUniform u
                ? c -> draw(c, u.seed(), u.seed2(), Distribution.UNIFORM)
                : c -> draw(c, normal().seed(), normal().seed2(), Distribution.NORMAL);
    }

    private RandomStandardNormal normal() {
        return (RandomStandardNormal) whole;
    }

    /** A block of the stream makes so many elements together, so the first may be in the middle of one. */
    private void draw(KernelContext c, long seed, long seed2, Distribution fill) {
        Tensor y = c.output(0);
        DType t = y.dtype();
        Philox stream = Randoms.reserve(c, seed, seed2, all);
        if (y.size() == 0) return;
        long group = t.size() == 8 ? 2 : 4, skipped = from % group;
        Tensor drawn = c.temporary(t, Shape.of(skipped + y.size()));
        try {
            fill.fill(stream.at(from / group), drawn, c.parallel());
            Memory.copy(drawn.address() + skipped * t.size(), y.address(), y.byteSize());
        } finally {
            drawn.release();
        }
    }
}
