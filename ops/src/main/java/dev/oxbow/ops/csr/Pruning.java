package dev.oxbow.ops.csr;

import dev.oxbow.ops.Value;
import dev.oxbow.ops.array.ConcatV2;
import dev.oxbow.ops.array.GatherNd;
import dev.oxbow.ops.array.Range;
import dev.oxbow.ops.array.StridedSlice;
import dev.oxbow.ops.array.Transpose;
import dev.oxbow.tensor.DType;
import java.util.List;

/** Gradients of sparse matrices: they have elements where the matrix has some. */
final class Pruning {
    private Pruning() {}

    /** The elements of a dense gradient where a sparse matrix has some. */
    static Value of(Value sparse, DType dtype, Value dense) {
        List<Value> at = Value.applyAll(new CSRSparseMatrixToSparseTensor(dtype), sparse);
        Value values = Value.apply(new GatherNd(), dense, at.get(0));
        return Value.apply(new SparseTensorToCSRSparseMatrix(), at.get(0), values, at.get(2));
    }

    /**
     * The elements of {@code left right'}, where a sparse matrix has some, each by itself: of row i of the left and column j
     * of the right, or {@code turned}, of row j and column i.
     */
    static Value product(Value sparse, DType dtype, Value left, Value right, boolean turned, boolean conjugate) {
        List<Value> at = Value.applyAll(new CSRSparseMatrixToSparseTensor(dtype), sparse);
        Value indices = at.get(0);
        Value rows = columns(indices, 0, -1, 1, 0),
                columns =
                        Value.apply(
                                new ConcatV2(),
                                columns(indices, 0, -2, 1, 0),
                                columns(indices, -1, 0, 0, 2),
                                indices.ops().constant(DType.I32, -1));
        Value a = Value.apply(new GatherNd(), left, turned ? columns : rows);
        Value b = Value.apply(new GatherNd(), right, turned ? rows : columns);
        Value values = a.times(b).sum(-1);
        return Value.apply(new SparseTensorToCSRSparseMatrix(), indices, conjugate ? values.conj() : values, at.get(2));
    }

    /** Columns {@code [from, to)} of a matrix; masks say where the first or the last is meant. */
    private static Value columns(Value x, int from, int to, int fromFirst, int toLast) {
        return Value.apply(
                new StridedSlice(1 | fromFirst << 1, 1 | toLast, 0, 0, 0),
                x,
                x.ops().constant(0, from),
                x.ops().constant(0, to),
                x.ops().constant(1, 1));
    }

    /** Matrices with their last two dimensions exchanged, of any rank. */
    static Value transposed(Value x) {
        Value rank = x.runtimeRank(), one = x.ops().constant(DType.I32, 1);
        Value ahead = Value.apply(new Range(), x.ops().constant(DType.I32, 0), rank.minus(2), one);
        Value last = x.ops().constant(-1, -2).plus(rank);
        return Value.apply(
                new Transpose(),
                x,
                Value.apply(new ConcatV2(), ahead, last, x.ops().constant(DType.I32, 0)));
    }
}
