package dev.oxbow.ops.csr;

import dev.oxbow.graph.OpProvider;
import java.util.List;

/** Sparse matrices by compressed rows: the list of this package's ops. */
public final class CsrOps implements OpProvider {
    @Override
    public List<String> ops() {
        return List.of(
                "CSRSparseMatrixComponents",
                "CSRSparseMatrixToDense",
                "CSRSparseMatrixToSparseTensor",
                "DenseToCSRSparseMatrix",
                "SparseMatrixMatMul",
                "SparseMatrixNNZ",
                "SparseMatrixOrderingAMD",
                "SparseMatrixSparseCholesky",
                "SparseMatrixSparseMatMul",
                "SparseMatrixTranspose",
                "SparseTensorToCSRSparseMatrix");
    }
}
