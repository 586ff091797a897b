package dev.oxbow.ops.linalg;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.numeric.LinearAlgebra;
import dev.oxbow.kernels.numeric.MatrixFunctions;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** Ops on batches of matrices that have an older name as well. */
final class MatrixVersions {
    private MatrixVersions() {}

    /** The Cholesky decomposition. */
    interface LowerRoot extends Op {
        @Override
        default List<TensorType> infer(InferenceContext c) {
            return List.of(c.input(0).withShape(Matrices.square(c, 0)));
        }

        @Override
        default Kernel cpu() {
            return c -> LinearAlgebra.cholesky(c.input(0), c.output(0), c.parallel());
        }
    }

    /** The gradient of the Cholesky decomposition. */
    interface LowerRootGradient extends Op {
        @Override
        default List<TensorType> infer(InferenceContext c) {
            Matrices.square(c, 1);
            c.sameShape(0, 1);
            return List.of(c.input(0).withShape(Matrices.square(c, 0)));
        }

        @Override
        default Kernel cpu() {
            return c -> MatrixFunctions.choleskyGradient(c.input(0), c.input(1), c.output(0), c.parallel());
        }
    }

    /** The determinant. */
    interface Determinant extends Op {
        @Override
        default List<TensorType> infer(InferenceContext c) {
            return List.of(c.input(0).withShape(Matrices.batch(Matrices.square(c, 0))));
        }

        @Override
        default Kernel cpu() {
            return c -> LinearAlgebra.determinant(c.input(0), c.output(0), c.parallel());
        }
    }

    /** The inverse, or that of the adjoint. */
    interface Inverse extends Op {
        boolean adjoint();

        @Override
        default List<TensorType> infer(InferenceContext c) {
            return List.of(c.input(0).withShape(Matrices.square(c, 0)));
        }

        @Override
        default Kernel cpu() {
            return c -> LinearAlgebra.inverse(c.input(0), adjoint(), c.output(0), c.parallel());
        }
    }

    /** The solution of a system. */
    interface Solve extends Op {
        boolean adjoint();

        @Override
        default List<TensorType> infer(InferenceContext c) {
            Shape a = Matrices.square(c, 0);
            return List.of(c.input(1).withShape(Matrices.solution(c, a, true, false)));
        }

        @Override
        default Kernel cpu() {
            return c -> LinearAlgebra.solve(c.input(0), c.input(1), adjoint(), c.output(0), c.parallel());
        }
    }

    /** The solution of a system by least squares. */
    interface LeastSquares extends Op {
        boolean fast();

        @Override
        default List<TensorType> infer(InferenceContext c) {
            c.scalar(2);
            Shape a = Matrices.matrices(c, 0);
            return List.of(c.input(1).withShape(Matrices.solution(c, a, false, false)));
        }

        @Override
        default Kernel cpu() {
            return c -> MatrixFunctions.leastSquares(
                    c.input(0), c.input(1), c.input(2).getDouble(0), fast(), c.output(0), c.parallel());
        }
    }

    /** The solution of a triangular system. */
    interface TriangularSolve extends Op {
        boolean lower();

        boolean adjoint();

        @Override
        default List<TensorType> infer(InferenceContext c) {
            Shape a = Matrices.square(c, 0);
            return List.of(c.input(1).withShape(Matrices.solution(c, a, true, true)));
        }

        @Override
        default Kernel cpu() {
            return c -> LinearAlgebra.triangularSolve(
                    c.input(0), c.input(1), lower(), adjoint(), c.output(0), c.parallel());
        }
    }

    /** Eigenvalues above eigenvectors, in one matrix. */
    interface Eigen extends Op {
        @Override
        default List<TensorType> infer(InferenceContext c) {
            Shape a = Matrices.square(c, 0);
            long n = Matrices.dim(a, -1);
            return List.of(c.input(0).withShape(Matrices.of(Matrices.batch(a), n < 0 ? -1 : n + 1, n)));
        }

        @Override
        default Kernel cpu() {
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

    /** Eigenvalues and eigenvectors. */
    interface EigenPair extends Op {
        boolean computeV();

        @Override
        default List<TensorType> infer(InferenceContext c) {
            Shape a = Matrices.square(c, 0);
            Shape e = Matrices.batch(a).concat(Shape.of(Matrices.dim(a, -1)));
            return List.of(c.input(0).withShape(e), c.input(0).withShape(computeV() ? a : Shape.of(0)));
        }

        @Override
        default Kernel cpu() {
            return c -> LinearAlgebra.selfAdjointEigen(
                    c.input(0), c.output(0), computeV() ? c.output(1) : null, c.parallel());
        }
    }

    /** Singular values and vectors. */
    interface Singular extends Op {
        boolean computeUv();

        boolean fullMatrices();

        @Override
        default List<TensorType> infer(InferenceContext c) {
            Shape a = Matrices.matrices(c, 0), batch = Matrices.batch(a);
            long m = Matrices.dim(a, -2), n = Matrices.dim(a, -1), least = m < 0 || n < 0 ? -1 : Math.min(m, n);
            TensorType s = new TensorType(c.dtype(0), batch.concat(Shape.of(least)));
            TensorType none = new TensorType(c.dtype(0), Shape.of(0));
            if (!computeUv()) return List.of(s, none, none);
            return List.of(
                    s,
                    c.input(0).withShape(Matrices.of(batch, m, fullMatrices() ? m : least)),
                    c.input(0).withShape(Matrices.of(batch, n, fullMatrices() ? n : least)));
        }

        @Override
        default Kernel cpu() {
            return c -> LinearAlgebra.svd(
                    c.input(0),
                    c.output(0),
                    computeUv() ? c.output(1) : null,
                    computeUv() ? c.output(2) : null,
                    c.parallel());
        }
    }
}
