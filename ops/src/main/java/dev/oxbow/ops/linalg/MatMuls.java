package dev.oxbow.ops.linalg;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Pieces;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.numeric.MatrixProduct;
import dev.oxbow.kernels.numeric.MatrixProduct.Form;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** What products of batches of matrices share. */
record MatMuls(boolean adjX, boolean adjY, boolean broadcasts) {

    List<TensorType> infer(InferenceContext c) {
        Shape x = Matrices.matrices(c, 0), y = Matrices.matrices(c, 1);
        Shape bx = Matrices.batch(x), by = Matrices.batch(y);
        Shape batch = broadcasts ? Shape.broadcast(bx, by) : bx.merge(by);
        long inner = Matrices.dim(x, adjX ? -2 : -1), other = Matrices.dim(y, adjY ? -1 : -2);
        require(
                batch != null,
                INVALID_ARGUMENT,
                "In[0] and In[1] must have compatible batch dimensions: %s vs. %s",
                x,
                y);
        require(
                inner < 0 || other < 0 || inner == other,
                INVALID_ARGUMENT,
                "Matrix size-incompatible: In[0]: %s, In[1]: %s",
                x,
                y);
        Shape z = Matrices.of(batch, Matrices.dim(x, adjX ? -1 : -2), Matrices.dim(y, adjY ? -2 : -1));
        return List.of(new TensorType(c.outputDtype(0), z));
    }

    /** By matrices, or by rows of the first or columns of the second of them. */
    Pieces cut(InferenceContext c, List<TensorType> outputs, int axis) {
        int rank = outputs.get(0).shape().rank(),
                x = c.shape(0).rank(),
                y = c.shape(1).rank();
        if (axis == rank - 2) return Pieces.along(axis, outputs, x - (adjX ? 1 : 2), Pieces.WHOLE);
        if (axis == rank - 1) return Pieces.along(axis, outputs, Pieces.WHOLE, y - (adjY ? 2 : 1));
        Pieces cut = Pieces.broadcast(c, outputs, axis);
        return new Pieces(cut.inputs(), cut.outputs(), 1);
    }

    Pieces sum(InferenceContext c, List<TensorType> outputs, int axis) {
        int x = c.shape(0).rank(), y = c.shape(1).rank(), inner = x - (adjX ? 2 : 1);
        return axis == inner ? Pieces.summands(outputs, inner, y - (adjY ? 1 : 2)) : null;
    }

    double work(InferenceContext c, List<TensorType> outputs) {
        return 2.0 * outputs.get(0).shape().size() * c.shape(0).dim(adjX ? -2 : -1);
    }

    Kernel kernel() {
        MatrixProduct product = MatrixProduct.of(Form.of(false, adjX), Form.of(false, adjY));
        return c -> {
            Tensor z = c.output(0), x = converted(c, 0, z.dtype()), y = converted(c, 1, z.dtype());
            if (x.shape().dim(adjX ? -2 : -1) == 0) Memory.zero(z.address(), z.byteSize());
            else product.run(x, y, z, c.scratch(), c.parallel());
            if (x != c.input(0)) x.release();
            if (y != c.input(1)) y.release();
        };
    }

    /** An input itself, or a copy in the dtype of the output. */
    static Tensor converted(KernelContext c, int i, DType to) {
        Tensor x = c.input(i);
        if (x.dtype() == to) return x;
        Tensor y = c.temporary(to, x.shape());
        for (long k = 0; k < x.size(); k++) {
            if (to.isInteger()) y.setLong(k, x.getLong(k));
            else y.set(k, x.getDouble(k));
        }
        return y;
    }

    /** {@code dx = dz y*}, {@code dy = x* dz}, with the adjoints of each side moved along. */
    List<Value> gradient(GradientContext g) {
        Value x = g.input(0), y = g.input(1), dz = g.gradient(0);
        Value dx = adjX ? Matrices.product(y, adjY, dz, true) : Matrices.product(dz, false, y, !adjY);
        Value dy = adjY ? Matrices.product(dz, true, x, adjX) : Matrices.product(x, !adjX, dz, false);
        return broadcasts ? Matrices.reduceBatch(x, y, dx, dy) : List.of(dx, dy);
    }

    /** Products of batches that broadcast. */
    interface Broadcasting extends Differentiable {
        boolean adjX();

        boolean adjY();

        @Override
        default List<TensorType> infer(InferenceContext c) {
            return product().infer(c);
        }

        private MatMuls product() {
            return new MatMuls(adjX(), adjY(), true);
        }

        @Override
        default Pieces cut(InferenceContext c, List<TensorType> outputs, int axis) {
            return product().cut(c, outputs, axis);
        }

        @Override
        default Pieces sum(InferenceContext c, List<TensorType> outputs, int axis) {
            return product().sum(c, outputs, axis);
        }

        @Override
        default double work(InferenceContext c, List<TensorType> outputs) {
            return product().work(c, outputs);
        }

        @Override
        default Kernel cpu() {
            return product().kernel();
        }

        /** {@code dx = dz y*}, {@code dy = x* dz}. */
        @Override
        default List<Value> gradient(GradientContext g) {
            return product().gradient(g);
        }
    }
}
