package dev.oxbow.ops.linalg;

import dev.oxbow.graph.OpProvider;
import java.util.List;

/** Matrices: the list of this package's ops. */
public final class LinalgOps implements OpProvider {
    @Override
    public List<String> ops() {
        return List.of(
                "BandedTriangularSolve",
                "BatchCholesky",
                "BatchCholeskyGrad",
                "BatchMatMul",
                "BatchMatMulV2",
                "BatchMatMulV3",
                "BatchMatrixDeterminant",
                "BatchMatrixInverse",
                "BatchMatrixSolve",
                "BatchMatrixSolveLs",
                "BatchMatrixTriangularSolve",
                "BatchSelfAdjointEig",
                "BatchSelfAdjointEigV2",
                "BatchSvd",
                "Cholesky",
                "CholeskyGrad",
                "Eig",
                "Einsum",
                "LogMatrixDeterminant",
                "Lu",
                "MatMul",
                "MatrixDeterminant",
                "MatrixExponential",
                "MatrixInverse",
                "MatrixLogarithm",
                "MatrixSolve",
                "MatrixSolveLs",
                "MatrixSquareRoot",
                "MatrixTriangularSolve",
                "Qr",
                "SelfAdjointEig",
                "SelfAdjointEigV2",
                "SparseMatMul",
                "Svd",
                "TridiagonalMatMul",
                "TridiagonalSolve");
    }
}
