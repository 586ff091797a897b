package dev.oxbow.ops.csr;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.ops.csr.CsrMatrix.Rows;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/** Orders of elimination and Cholesky factors of one sparse matrix. */
final class Factors {
    private Factors() {}

    /** Rows in an order in which few elements fill in: always one of those with the fewest neighbours left, the first of them. */
    static int[] order(Rows m, int n) {
        Map<Integer, TreeSet<Integer>> near = new TreeMap<>();
        for (int i = 0; i < n; i++) near.put(i, new TreeSet<>());
        for (int i = 0; i < n; i++)
            for (int k = m.starts()[i]; k < m.starts()[i + 1]; k++) {
                int j = m.columns()[k];
                if (i == j) continue;
                near.get(i).add(j);
                near.get(j).add(i);
            }
        int[] order = new int[n];
        for (int k = 0; k < n; k++) {
            int best = -1;
            for (var e : near.entrySet())
                if (best < 0 || e.getValue().size() < near.get(best).size()) best = e.getKey();
            order[k] = best;
            TreeSet<Integer> left = near.remove(best);
            for (int i : left) {
                near.get(i).addAll(left);
                near.get(i).remove(i);
                near.get(i).remove(best);
            }
        }
        return order;
    }

    /** The lower factor of {@code m[p, p]}, of which the lower triangle is read: rows one by one, each from those above. */
    static Rows cholesky(Rows m, int n, int parts, long[] p) {
        int[] place = new int[n];
        for (int i = 0; i < n; i++) place[i] = -1;
        for (int i = 0; i < n; i++) {
            require(
                    p[i] >= 0 && p[i] < n && place[(int) p[i]] < 0,
                    INVALID_ARGUMENT,
                    "permutation must have every number below %d once",
                    n);
            place[(int) p[i]] = i;
        }
        @SuppressWarnings({"unchecked", "rawtypes"})
        TreeMap<Integer, double[]>[] rows = new TreeMap[n];
        for (int i = 0; i < n; i++) rows[i] = new TreeMap<>();
        for (int i = 0; i < n; i++)
            for (int k = m.starts()[i]; k < m.starts()[i + 1]; k++) {
                int j = m.columns()[k];
                if (j > i) continue;
                int a = place[i], b = place[j];
                double re = m.values()[k * parts], im = parts == 2 ? m.values()[k * 2 + 1] : 0;
                rows[Math.max(a, b)].put(Math.min(a, b), new double[] {re, a >= b ? im : -im});
            }
        Products.Builder to = new Products.Builder(n, parts);
        for (int i = 0; i < n; i++) {
            eliminate(rows, i);
            rows[i].forEach((c, v) -> to.set(c, parts == 2 ? v : new double[] {v[0]}));
            to.endRow();
        }
        return to.rows();
    }

    /** Row i, less what the rows above take off, divided by their diagonals. */
    private static void eliminate(TreeMap<Integer, double[]>[] rows, int i) {
        TreeMap<Integer, double[]> row = rows[i];
        double[] own = row.getOrDefault(i, new double[2]);
        double diagonal = own[0];
        row.remove(i);
        for (Integer j = row.isEmpty() ? null : row.firstKey(); j != null; j = row.higherKey(j)) {
            double[] x = row.get(j);
            for (var e : rows[j].headMap(j).entrySet()) {
                double[] y = row.get(e.getKey());
                if (y == null) continue;
                x[0] -= y[0] * e.getValue()[0] + y[1] * e.getValue()[1];
                x[1] -= y[1] * e.getValue()[0] - y[0] * e.getValue()[1];
            }
            double d = rows[j].get(j)[0];
            x[0] /= d;
            x[1] /= d;
            diagonal -= x[0] * x[0] + x[1] * x[1];
            int from = j;
            for (int k = j + 1; k < i; k++) if (rows[k].containsKey(from)) row.computeIfAbsent(k, _ -> new double[2]);
        }
        require(diagonal > 0, INVALID_ARGUMENT, "Numerical issue: the matrix is not positive definite");
        row.put(i, new double[] {Math.sqrt(diagonal), 0});
    }
}
