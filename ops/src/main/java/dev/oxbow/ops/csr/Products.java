package dev.oxbow.ops.csr;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.ops.csr.CsrMatrix.Rows;
import dev.oxbow.tensor.Counts;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;

/** Arithmetic of sparse matrices. */
final class Products {
    private Products() {}

    /** Each matrix transposed, its values conjugated where asked for. */
    static CsrMatrix transpose(CsrMatrix m, boolean conjugate) {
        int rank = m.shape.rank(), parts = m.parts();
        List<Rows> all = new ArrayList<>();
        for (Rows r : m.batch) {
            int[] starts = Counts.array(m.columns() + 1L, int[]::new), columns = new int[r.count()];
            double[] values = new double[r.values().length];
            for (int c : r.columns()) starts[c + 1]++;
            for (int i = 0; i < m.columns(); i++) starts[i + 1] += starts[i];
            int[] next = starts.clone();
            for (int i = 0; i < m.rows(); i++)
                for (int k = r.starts()[i]; k < r.starts()[i + 1]; k++) {
                    int to = next[r.columns()[k]]++;
                    columns[to] = i;
                    values[to * parts] = r.values()[k * parts];
                    if (parts == 2) values[to * 2 + 1] = (conjugate ? -1 : 1) * r.values()[k * 2 + 1];
                }
            all.add(new Rows(starts, columns, values));
        }
        var shape = m.shape.withDim(rank - 2, m.columns()).withDim(rank - 1, m.rows());
        return new CsrMatrix(m.dtype, shape, List.copyOf(all));
    }

    /** A matrix as an operand: transposed, or its adjoint. */
    static CsrMatrix operand(CsrMatrix m, boolean transpose, boolean adjoint) {
        require(!(transpose && adjoint), INVALID_ARGUMENT, "only one of transpose and adjoint may be true");
        return transpose || adjoint ? transpose(m, adjoint) : m;
    }

    /** The sum, with an element wherever one of both has one. */
    static CsrMatrix sum(CsrMatrix a, CsrMatrix b) {
        List<Rows> all = new ArrayList<>();
        for (int i = 0; i < a.batch.size(); i++) {
            Builder to = new Builder(a.rows(), a.parts());
            for (int r = 0; r < a.rows(); r++) {
                to.add(a.batch.get(i), r, 1, 0);
                to.add(b.batch.get(i), r, 1, 0);
                to.endRow();
            }
            all.add(to.rows());
        }
        return new CsrMatrix(a.dtype, a.shape, List.copyOf(all));
    }

    /** The product, with an element wherever the rows and columns of both meet. */
    static CsrMatrix product(CsrMatrix a, CsrMatrix b) {
        require(
                a.batch.size() == b.batch.size() && a.shape.rank() == b.shape.rank() && a.columns() == b.rows(),
                INVALID_ARGUMENT,
                "matrices of shapes %s and %s cannot be multiplied",
                a.shape,
                b.shape);
        int parts = a.parts();
        List<Rows> all = new ArrayList<>();
        for (int i = 0; i < a.batch.size(); i++) {
            Rows x = a.batch.get(i), y = b.batch.get(i);
            Builder to = new Builder(a.rows(), parts);
            for (int r = 0; r < a.rows(); r++) {
                for (int k = x.starts()[r]; k < x.starts()[r + 1]; k++)
                    to.add(y, x.columns()[k], x.values()[k * parts], parts == 2 ? x.values()[k * 2 + 1] : 0);
                to.endRow();
            }
            all.add(to.rows());
        }
        return new CsrMatrix(a.dtype, a.shape.withDim(a.shape.rank() - 1, b.columns()), List.copyOf(all));
    }

    /** A matrix that grows row by row. */
    static final class Builder {
        private final int parts;
        private final int[] starts;
        private final TreeMap<Integer, double[]> row = new TreeMap<>();
        private int[] columns = new int[16];
        private double[] values;
        private int count;
        private int at;

        Builder(int rows, int parts) {
            this.parts = parts;
            this.starts = new int[rows + 1];
            this.values = new double[16 * parts];
        }

        /** Adds a row of another matrix, times a number, to the current one. */
        void add(Rows from, int r, double re, double im) {
            for (int k = from.starts()[r]; k < from.starts()[r + 1]; k++) {
                double[] sum = row.computeIfAbsent(from.columns()[k], _ -> new double[parts]);
                double x = from.values()[k * parts], y = parts == 2 ? from.values()[k * 2 + 1] : 0;
                sum[0] += re * x - im * y;
                if (parts == 2) sum[1] += re * y + im * x;
            }
        }

        /** Adds to an element of the current row. */
        void set(int column, double[] value) {
            row.put(column, value);
        }

        void endRow() {
            if (count + row.size() > columns.length) {
                int size = Math.max(2 * columns.length, count + row.size());
                columns = Arrays.copyOf(columns, size);
                values = Arrays.copyOf(values, size * parts);
            }
            row.forEach((c, v) -> {
                columns[count] = c;
                System.arraycopy(v, 0, values, count * parts, parts);
                count++;
            });
            row.clear();
            starts[++at] = count;
        }

        Rows rows() {
            return new Rows(starts, Arrays.copyOf(columns, count), Arrays.copyOf(values, count * parts));
        }
    }
}
