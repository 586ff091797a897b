package dev.oxbow.parallel;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Moving;
import dev.oxbow.graph.OpSignature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.move.Slice;
import dev.oxbow.tensor.Tensor;
import java.util.List;
import java.util.Map;

/** {@code count} indices of one axis of a value that everybody has. Made by plans alone. */
record Piece(int axis, long from, long count) implements Moving {

    private static final OpSignature SIGNATURE = OpSignature.parse("_Piece(input: T) -> (output: T) {T: type}");

    @Override
    public OpSignature signature() {
        return SIGNATURE;
    }

    @Override
    public Map<String, Object> attributes() {
        return Map.of();
    }

    @Override
    public List<TensorType> infer(InferenceContext c) {
        TensorType t = c.input(0);
        return List.of(t.shape().isRankKnown() ? t.withShape(t.shape().withDim(axis, count)) : t);
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor x = c.input(0),
                    y = c.isAllocated(0) ? c.output(0) : c.allocate(0, x.shape().withDim(axis, count));
            long[] begin = new long[x.shape().rank()];
            begin[axis] = from;
            if (y.size() > 0) Slice.read(x, begin, y.shape().dims(), y, c.parallel());
        };
    }
}
