package dev.oxbow.ops.csr;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.ops.Summable;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** Sparse matrices of one shape by compressed rows: one, or a batch of them. Immutable. */
final class CsrMatrix implements Summable {

    /**
     * One matrix.
     *
     * @param starts where each row begins among the columns, and where the last one ends
     * @param columns of the elements, row by row, ascending in each
     * @param values of the elements, two numbers each where they are complex
     */
    record Rows(int[] starts, int[] columns, double[] values) {
        int count() {
            return columns.length;
        }
    }

    final DType dtype;
    final Shape shape;
    final List<Rows> batch;

    CsrMatrix(DType dtype, Shape shape, List<Rows> batch) {
        this.dtype = dtype;
        this.shape = shape;
        this.batch = batch;
    }

    int rows() {
        return (int) shape.dim(shape.rank() - 2);
    }

    int columns() {
        return (int) shape.dim(shape.rank() - 1);
    }

    /** How many numbers a value is. */
    int parts() {
        return parts(dtype);
    }

    static int parts(DType dtype) {
        return dtype.isComplex() ? 2 : 1;
    }

    int count() {
        return batch.stream().mapToInt(Rows::count).sum();
    }

    /** The matrix that input {@code i} is, which must have this dtype where one is given. */
    static CsrMatrix of(KernelContext c, int i, DType dtype) {
        Tensor t = c.input(i);
        Object o = t.size() == 1 ? t.objects()[0] : null;
        require(o instanceof CsrMatrix, INVALID_ARGUMENT, "input %d holds no CSRSparseMatrix", i);
        CsrMatrix m = (CsrMatrix) o;
        require(
                dtype == null || m.dtype == dtype,
                INVALID_ARGUMENT,
                "dtype of input %d is not equal to 'type': %s vs. %s",
                i,
                m.dtype,
                dtype);
        return m;
    }

    void give(KernelContext c, int output) {
        c.set(output, Tensor.ofObjects(DType.VARIANT, Shape.SCALAR, this));
    }

    /** Of coordinates in ascending order of rows, and values by position. */
    static CsrMatrix of(DType dtype, Shape shape, Tensor indices, Tensor values, long[] at) {
        int rank = shape.rank(), rows = Counts.toInt(shape.dim(shape.rank() - 2));
        Counts.toInt(shape.dim(shape.rank() - 1));
        int batches = rank == 3 ? Counts.objects(shape.dim(0), 64) : 1;
        Counts.objects(Counts.times(batches, rows + 1L), 8);
        int n = Counts.objects(at.length, 16), parts = parts(dtype), k = 0;
        var all = new ArrayList<Rows>(batches);
        for (int b = 0; b < batches; b++) {
            int first = k;
            int[] starts = new int[rows + 1];
            while (k < n && (rank == 2 || indices.getLong((long) k * rank) == b)) {
                starts[(int) indices.getLong((long) k * rank + rank - 2) + 1]++;
                k++;
            }
            for (int r = 0; r < rows; r++) starts[r + 1] += starts[r];
            int[] columns = new int[k - first], next = starts.clone();
            double[] v = new double[(k - first) * parts];
            for (int i = first; i < k; i++) {
                int to = next[(int) indices.getLong((long) i * rank + rank - 2)]++;
                columns[to] = (int) indices.getLong((long) i * rank + rank - 1);
                for (int p = 0; p < parts; p++) v[to * parts + p] = Numbers.get(values, at[i], p);
            }
            all.add(new Rows(starts, columns, v));
        }
        require(k == n, INVALID_ARGUMENT, "the indices of batches must ascend");
        return new CsrMatrix(dtype, shape, List.copyOf(all));
    }

    /** Checks that coordinates lie within a shape of two or three dimensions. */
    static void check(Tensor indices, Shape shape) {
        int rank = shape.rank();
        require(
                rank == 2 || rank == 3,
                INVALID_ARGUMENT,
                "SparseTensor must have rank 2 or 3; but indices has rank: %d",
                rank);
        require(
                indices.shape().rank() == 2 && indices.shape().dim(1) == rank,
                INVALID_ARGUMENT,
                "indices must be a matrix of %d columns, got %s",
                rank,
                indices.shape());
        for (long i = 0; i < indices.size(); i++) {
            long at = indices.getLong(i);
            require(
                    at >= 0 && at < shape.dim((int) (i % rank)),
                    INVALID_ARGUMENT,
                    "Sparse index tuple indices[%d, :] is out of bounds of %s",
                    i / rank,
                    shape);
        }
    }

    @Override
    public Summable plus(Summable other, KernelContext c) {
        require(
                other instanceof CsrMatrix m && m.dtype == dtype && m.shape.equals(shape),
                INVALID_ARGUMENT,
                "sparse matrices of different dtypes or shapes cannot be added");
        return Products.sum(this, (CsrMatrix) other);
    }

    @Override
    public Summable zero(KernelContext c) {
        Rows none = new Rows(new int[rows() + 1], new int[0], new double[0]);
        return new CsrMatrix(dtype, shape, batch.stream().map(_ -> none).toList());
    }

    @Override
    public void retain() {}

    @Override
    public void release() {}
}
