package dev.oxbow.ops.sparse;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.kernels.text.Hashes;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Crosses columns of features: a row of the result has one value for each way to pick a feature from that row of each column, the
 * last column's changing fastest.
 */
final class FeatureCross {
    private static final long MULTIPLIER = 0xc6a4a7935bd1e995L;

    /** Features of all rows: those of row {@code r} are {@code values[starts[r], starts[r + 1])}. */
    private record Column(long[] starts, Tensor values) {
        int rows() {
            return starts.length - 1;
        }

        int count(int row) {
            return (int) (starts[row + 1] - starts[row]);
        }

        boolean isNumber() {
            return values.dtype() == DType.I64;
        }

        byte[] text(int row, int i) {
            int at = (int) starts[row] + i;
            return isNumber()
                    ? Long.toString(values.getLong(at)).getBytes(StandardCharsets.US_ASCII)
                    : (byte[]) values.objects()[at];
        }

        long number(int row, int i, Hash hash) {
            int at = (int) starts[row] + i;
            return isNumber() ? values.getLong(at) : hash.of((byte[]) values.objects()[at]);
        }
    }

    /** What a string counts as. */
    interface Hash {
        long of(byte[] s);
    }

    /** Writes value number {@code at}, which crosses the picked features of a row. */
    interface Writer {
        void write(Tensor values, int at, int row, int[] picked);
    }

    private final List<Column> columns = new ArrayList<>();
    private int rows = -1;

    /** The columns of {@code n} sparse inputs, whose indices begin at input {@code from}, and of the dense ones after them. */
    static FeatureCross of(KernelContext c, int n, int dense) {
        FeatureCross cross = new FeatureCross();
        for (int i = 0; i < n; i++) cross.sparse(c.input(i), c.input(n + i), c.input(2 * n + i));
        for (int i = 0; i < dense; i++) cross.dense(c.input(3 * n + i));
        return cross;
    }

    void sparse(Tensor indices, Tensor values, Tensor shape) {
        Coordinates x = Coordinates.of(indices, values, shape).inside();
        require(
                x.rank() == 2,
                INVALID_ARGUMENT,
                "the inputs must be matrices, got a sparse tensor of rank %d",
                x.rank());
        long[] starts = Counts.array(x.shape()[0] + 1, long[]::new);
        long before = 0;
        for (long[] row : x.rows()) {
            require(
                    row[0] >= before,
                    INVALID_ARGUMENT,
                    "indices must be in the order of rows, got %d after %d",
                    row[0],
                    before);
            before = row[0];
            starts[(int) row[0] + 1]++;
        }
        Arrays.parallelPrefix(starts, Long::sum);
        add(new Column(starts, values));
    }

    void dense(Tensor values) {
        require(values.shape().rank() == 2, INVALID_ARGUMENT, "dense inputs must be matrices, got %s", values.shape());
        long[] starts = Counts.array(values.shape().dim(0) + 1, long[]::new);
        Arrays.setAll(starts, i -> i * values.shape().dim(1));
        add(new Column(starts, values));
    }

    void ragged(Tensor values, Tensor splits) {
        Ragged.checkSplits(splits, values.size());
        long[] starts = Counts.array(splits.size(), long[]::new);
        Arrays.setAll(starts, splits::getLong);
        add(new Column(starts, values));
    }

    private void add(Column column) {
        require(
                rows < 0 || rows == column.rows(),
                INVALID_ARGUMENT,
                "all inputs must have the same number of rows, got %d and %d",
                rows,
                column.rows());
        rows = column.rows();
        columns.add(column);
    }

    int rows() {
        return Math.max(0, rows);
    }

    /** Where the values of each row begin, and where the last ones end. */
    long[] starts() {
        long[] starts = Counts.array(rows() + 1L, long[]::new);
        for (int r = 0; r < rows(); r++) {
            long n = 1;
            for (Column column : columns) n = Counts.times(n, column.count(r));
            starts[r + 1] = starts[r] + n;
            Counts.objects(starts[r + 1], 32);
        }
        return starts;
    }

    /** Texts of the picked features with something between them. */
    Writer texts(byte[] between) {
        return (values, at, row, picked) -> {
            byte[][] parts = new byte[picked.length][];
            int n = Math.max(0, picked.length - 1) * between.length;
            for (int i = 0; i < picked.length; i++) {
                parts[i] = columns.get(i).text(row, picked[i]);
                n = Counts.toInt((long) n + parts[i].length);
            }
            byte[] all = new byte[n];
            int to = 0;
            for (int i = 0; i < parts.length; i++) {
                if (i > 0) {
                    System.arraycopy(between, 0, all, to, between.length);
                    to += between.length;
                }
                System.arraycopy(parts[i], 0, all, to, parts[i].length);
                to += parts[i].length;
            }
            values.objects()[at] = all;
        };
    }

    /** Buckets of the picked features' fingerprints, joined after {@code key}; no key begins with the first of them. */
    Writer buckets(Long key, Hash hash, long buckets) {
        require(buckets >= 0, INVALID_ARGUMENT, "num_buckets must be >= 0, got %d", buckets);
        long bound = buckets > 0 ? buckets : Long.MAX_VALUE;
        return (values, at, row, picked) -> {
            long all = key == null ? columns.get(0).number(row, picked[0], hash) : key;
            for (int i = key == null ? 1 : 0; i < picked.length; i++)
                all = joined(all, columns.get(i).number(row, picked[i], hash));
            values.setLong(at, Long.remainderUnsigned(all, bound));
        };
    }

    /** FarmHash's fingerprint of two fingerprints. */
    private static long joined(long a, long b) {
        long x = a ^ MULTIPLIER;
        x ^= mixed(b * MULTIPLIER) * MULTIPLIER;
        x *= MULTIPLIER;
        return mixed(mixed(x) * MULTIPLIER);
    }

    private static long mixed(long x) {
        return x ^ x >>> 47;
    }

    /** Writes the values of all rows to output {@code i}. */
    void values(KernelContext c, int i, long[] starts, Writer writer) {
        Tensor y = c.allocate(i, Shape.of(starts[rows()]));
        int[] picked = new int[columns.size()];
        for (int r = 0; r < rows(); r++) {
            Arrays.fill(picked, 0);
            for (int at = (int) starts[r]; at < starts[r + 1]; at++) {
                writer.write(y, at, r, picked);
                for (int k = picked.length - 1;
                        k >= 0 && ++picked[k] == columns.get(k).count(r);
                        k--) picked[k] = 0;
            }
        }
    }

    /** Writes a sparse matrix of crossed rows to the first three outputs. */
    void sparseMatrix(KernelContext c, Writer writer) {
        long[] starts = starts();
        Tensor indices = c.allocate(0, Shape.of(starts[rows()], 2));
        long widest = 0, at = 0;
        for (int r = 0; r < rows(); r++) {
            long n = starts[r + 1] - starts[r];
            widest = Math.max(widest, n);
            for (long k = 0; k < n; k++) {
                indices.setLong(at++, r);
                indices.setLong(at++, k);
            }
        }
        values(c, 1, starts, writer);
        Coordinates.vector(c, 2, rows(), widest);
    }

    /** The fingerprint that strings have without a key. */
    static long fingerprint(byte[] s) {
        return Hashes.farm(s);
    }
}
