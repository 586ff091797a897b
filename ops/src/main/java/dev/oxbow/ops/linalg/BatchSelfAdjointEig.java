package dev.oxbow.ops.linalg;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.numeric.LinearAlgebra;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** {@code SelfAdjointEig} under its old name. */
@Signature("BatchSelfAdjointEig(input: T) -> (output: T) {T: type in [DOUBLE FLOAT]}")
public record BatchSelfAdjointEig() implements Op {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Shape a = Matrices.square(c, 0);
        long n = Matrices.dim(a, -1);
        return List.of(c.input(0).withShape(Matrices.of(Matrices.batch(a), n < 0 ? -1 : n + 1, n)));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor a = c.input(0), y = c.output(0);
            if (y.size() == 0) return;
            int rank = a.shape().rank();
            long n = a.shape().dim(-1),
                    count = a.shape().size(0, rank - 2),
                    row = n * a.dtype().size();
            Tensor e = c.temporary(a.dtype(), a.shape().slice(0, rank - 1)), v = c.temporary(a.dtype(), a.shape());
            LinearAlgebra.selfAdjointEigen(a, e, v, c.parallel());
            for (long i = 0; i < count; i++) {
                Memory.copy(e.address() + i * row, y.address() + i * (n + 1) * row, row);
                Memory.copy(v.address() + i * n * row, y.address() + (i * (n + 1) + 1) * row, n * row);
            }
            e.release();
            v.release();
        };
    }
}
