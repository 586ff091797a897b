package dev.oxbow.graph.pass;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.OpSignature;
import dev.oxbow.graph.Pieces;
import dev.oxbow.graph.Reducing;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.expr.reduce.Reduction;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;
import java.util.Map;

/**
 * A reduction along rows, and other axes, of each of {@code groups} groups of rows by itself: the first dimension of the
 * output has the groups, the others that are reduced have 1. Made by the optimising passes alone.
 */
record GroupedReduction(Reduction.Operation operation, List<Integer> along, long groups) implements Reducing {

    private static final OpSignature SIGNATURE =
            OpSignature.parse("_GroupedReduction(input: T) -> (output: T) {T: type in [FLOAT DOUBLE]}");

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
        Shape s = c.shape(0);
        for (int a : along) s = s.withDim(a, a == 0 ? groups : 1);
        return List.of(c.input(0).withShape(s));
    }

    @Override
    public Pieces cut(InferenceContext c, List<TensorType> outputs, int axis) {
        return axis == 0 ? Pieces.rows(outputs, 0) : null;
    }

    @Override
    public int[] axes(InferenceContext c) {
        return along.stream().mapToInt(Integer::intValue).toArray();
    }

    @Override
    public Kernel cpu() {
        int[] inGroups = along.stream().mapToInt(a -> a + 1).toArray();
        return c -> {
            Tensor y = c.output(0);
            Shape grouped = Reducing.grouped(c.input(0).shape(), y.shape().dim(0));
            Tensor x = c.input(0).view(grouped);
            try {
                Reduction.of(operation, x.dtype()).run(c.parallel(), x.shape(), inGroups, new Tensor[] {x}, y);
            } finally {
                x.release();
            }
        };
    }
}
