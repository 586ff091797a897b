package dev.oxbow.ops.csr;

import dev.oxbow.ops.csr.CsrMatrix.Rows;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;

/**
 * The product of sparse matrices with dense ones.
 *
 * @param turned whether the dense ones are transposed first
 * @param conjugate whether they are conjugated first
 * @param turnOutput whether the product is transposed
 * @param conjugateOutput whether it is conjugated
 */
record DenseProduct(
        CsrMatrix a, Tensor b, boolean turned, boolean conjugate, boolean turnOutput, boolean conjugateOutput) {

    void run(Tensor y) {
        Shape s = y.shape();
        int rank = s.rank(), parts = a.parts();
        long columns = s.dim(turnOutput ? rank - 2 : rank - 1), inner = a.columns();
        double[] sum = new double[2];
        for (int batch = 0; batch < a.batch.size(); batch++) {
            Rows r = a.batch.get(batch);
            long from = batch * inner * columns, to = batch * a.rows() * columns;
            for (int i = 0; i < a.rows(); i++)
                for (long j = 0; j < columns; j++) {
                    sum(r, i, j, from, inner, columns, parts, sum);
                    long at = to + (turnOutput ? j * a.rows() + i : i * columns + j);
                    Numbers.set(y, at, 0, sum[0]);
                    if (parts == 2) Numbers.set(y, at, 1, conjugateOutput ? -sum[1] : sum[1]);
                }
        }
    }

    private void sum(Rows r, int i, long j, long from, long inner, long columns, int parts, double[] sum) {
        sum[0] = sum[1] = 0;
        for (int k = r.starts()[i]; k < r.starts()[i + 1]; k++) {
            long at = from + (turned ? j * inner + r.columns()[k] : r.columns()[k] * columns + j);
            double x = r.values()[k * parts], v = Numbers.get(b, at, 0);
            sum[0] += x * v;
            if (parts == 1) continue;
            double y = r.values()[2 * k + 1], w = conjugate ? -Numbers.get(b, at, 1) : Numbers.get(b, at, 1);
            sum[0] -= y * w;
            sum[1] += x * w + y * v;
        }
    }
}
