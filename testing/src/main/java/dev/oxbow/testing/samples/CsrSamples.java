package dev.oxbow.testing.samples;

import static dev.oxbow.tensor.DType.C128;
import static dev.oxbow.tensor.DType.C64;
import static dev.oxbow.tensor.DType.F32;
import static dev.oxbow.tensor.DType.F64;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.core.Placeholder;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;

/** Samples of sparse matrices by compressed rows. */
public final class CsrSamples extends SampleFamily {
    private static final long[][] FLAT = {{0, 1}, {0, 2}, {2, 0}, {2, 2}, {3, 1}};
    private static final long[][] BATCH = {{0, 0, 1}, {0, 1, 2}, {0, 3, 0}, {1, 0, 0}, {1, 2, 1}, {1, 2, 2}};

    @Override
    public String name() {
        return "csr";
    }

    @Override
    protected void define() {
        for (DType t : List.of(F32, F64, C64, C128)) {
            for (boolean batch : new boolean[] {false, true}) {
                made(t, batch);
                turned(t, batch);
                products(t, batch);
            }
            factors(t);
        }
        refused();
    }

    private static Tensor indices(boolean batch) {
        long[][] at = batch ? BATCH : FLAT;
        Tensor t = Tensor.zeros(DType.I64, Shape.of(at.length, batch ? 3 : 2));
        for (int i = 0; i < t.size(); i++) t.setLong(i, at[i / at[0].length][i % at[0].length]);
        return t;
    }

    private static long[] dims(boolean batch, long rows, long columns) {
        return batch ? new long[] {2, rows, columns} : new long[] {rows, columns};
    }

    /** A sparse matrix of 4 rows and 3 columns whose values are fed, and what is made of it. */
    private void with(String op, DType t, boolean batch, long seed, BiFunction<Program, Edge, List<Edge>> make) {
        program(op, p -> {
            Tensor at = indices(batch),
                    values = random(t, -2, 2, seed, at.shape().dim(0));
            Edge x = t.isComplex()
                    ? p.constant(values)
                    : p.add(new Placeholder(t, values.shape())).edge(0);
            Edge m = p.add(
                            named("SparseTensorToCSRSparseMatrix"),
                            p.constant(at),
                            x,
                            p.constant(Tensor.of(Shape.of(batch ? 3 : 2), dims(batch, 4, 3))))
                    .edge(0);
            List<Edge> ys = make.apply(p, m);
            p.run(t.isComplex() ? Map.of() : Map.of(x.name(), values), ys);
            List<Edge> floating =
                    ys.stream().filter(y -> y.type().dtype().isFloating()).toList();
            if (!t.isComplex() && !floating.isEmpty()) p.gradient(List.of(x), floating);
        });
    }

    private static List<Edge> dense(Program p, Edge m, DType t) {
        return List.of(p.add(named("CSRSparseMatrixToDense", "type", t), m).edge(0));
    }

    private static List<Edge> all(Node n) {
        List<Edge> all = new ArrayList<>();
        for (int i = 0; i < n.outputCount(); i++) all.add(n.edge(i));
        return all;
    }

    private void made(DType t, boolean batch) {
        with("SparseTensorToCSRSparseMatrix", t, batch, 1, (p, m) -> dense(p, m, t));
        with(
                "CSRSparseMatrixToSparseTensor",
                t,
                batch,
                2,
                (p, m) -> all(p.add(named("CSRSparseMatrixToSparseTensor", "type", t), m)));
        with("SparseMatrixNNZ", t, batch, 3, (p, m) -> all(p.add(named("SparseMatrixNNZ"), m)));
        program("CSRSparseMatrixComponents", p -> {
            Edge m = p.add(
                            named("DenseToCSRSparseMatrix"),
                            p.constant(random(t, -2, 2, 4, dims(batch, 4, 3))),
                            p.constant(indices(batch)))
                    .edge(0);
            p.run(
                    Map.of(),
                    all(p.add(named("CSRSparseMatrixComponents", "type", t), m, p.constant(scalar(batch ? 1 : 0)))));
        });
        program("DenseToCSRSparseMatrix", p -> {
            Tensor x = random(t, -2, 2, 5, dims(batch, 4, 3));
            Edge in = t.isComplex()
                    ? p.constant(x)
                    : p.add(new Placeholder(t, x.shape())).edge(0);
            Edge m = p.add(named("DenseToCSRSparseMatrix"), in, p.constant(indices(batch)))
                    .edge(0);
            List<Edge> y = dense(p, m, t);
            p.run(t.isComplex() ? Map.of() : Map.of(in.name(), x), y);
            if (!t.isComplex()) p.gradient(List.of(in), y);
        });
    }

    private void turned(DType t, boolean batch) {
        for (boolean conjugate : new boolean[] {false, true})
            with(
                    "SparseMatrixTranspose",
                    t,
                    batch,
                    6,
                    (p, m) -> dense(
                            p,
                            p.add(named("SparseMatrixTranspose", "conjugate", conjugate, "type", t), m)
                                    .edge(0),
                            t));
    }

    private void products(DType t, boolean batch) {
        for (String a : List.of("", "transpose_a", "adjoint_a"))
            for (String b : List.of("", "transpose_b", "adjoint_b")) {
                long inner = a.isEmpty() ? 3 : 4;
                Tensor right = random(t, -2, 2, 7, b.isEmpty() ? dims(batch, inner, 2) : dims(batch, 2, inner));
                for (String c : List.of("", "transpose_output", "conjugate_output")) {
                    if (!c.isEmpty() && !a.isEmpty() && a.startsWith("t") != c.startsWith("t")) continue;
                    List<Object> set = new ArrayList<>();
                    for (String s : List.of(a, b, c)) if (!s.isEmpty()) set.addAll(List.of(s, true));
                    with(
                            "SparseMatrixMatMul",
                            t,
                            batch,
                            8,
                            (p, m) -> all(p.add(named("SparseMatrixMatMul", set.toArray()), m, p.constant(right))));
                }
                sparse(t, batch, a, b);
            }
    }

    /** A matrix times itself, turned so that it fits. */
    private void sparse(DType t, boolean batch, String a, String b) {
        if (a.isEmpty() == b.isEmpty()) return;
        List<Object> set = new ArrayList<>(List.of("type", t));
        for (String s : List.of(a, b)) if (!s.isEmpty()) set.addAll(List.of(s, true));
        with(
                "SparseMatrixSparseMatMul",
                t,
                batch,
                9,
                (p, m) -> dense(
                        p,
                        p.add(named("SparseMatrixSparseMatMul", set.toArray()), m, m)
                                .edge(0),
                        t));
    }

    /** Factors of a matrix that is symmetric and positive. */
    private void factors(DType t) {
        int n = 4;
        double[][] a = {{5, 1, 0, 2}, {1, 6, 0, 0}, {0, 0, 4, 1}, {2, 0, 1, 7}};
        List<Long> at = new ArrayList<>();
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                if (a[i][j] != 0) at.addAll(List.of((long) i, (long) j));
            }
        Tensor values = Tensor.zeros(F64, Shape.of(n, n));
        for (int i = 0; i < n * n; i++) values.set(i, a[i / n][i % n]);
        long[] flat = at.stream().mapToLong(Long::longValue).toArray();
        for (int[] order : new int[][] {{0, 1, 2, 3}, {3, 0, 2, 1}})
            program("SparseMatrixSparseCholesky", p -> {
                Edge m = matrix(p, t, values, flat);
                Edge l = p.add(named("SparseMatrixSparseCholesky", "type", t), m, p.constant(ints(order)))
                        .edge(0);
                p.run(Map.of(), dense(p, l, t));
            });
        program(
                "SparseMatrixOrderingAMD",
                p -> p.run(Map.of(), all(p.add(named("SparseMatrixOrderingAMD"), matrix(p, t, values, flat)))));
        unanswered("SparseMatrixOrderingAMD", "any order is one; TensorFlow takes another among equals");
    }

    private static Edge matrix(Program p, DType t, Tensor values, long[] at) {
        Edge x = p.add(named("Cast", "DstT", t), p.constant(values)).edge(0);
        return p.add(named("DenseToCSRSparseMatrix"), x, p.constant(Tensor.of(Shape.of(at.length / 2, 2), at)))
                .edge(0);
    }

    private void refused() {
        program(
                "SparseTensorToCSRSparseMatrix",
                p -> p.run(
                        Map.of(),
                        all(p.add(
                                named("SparseTensorToCSRSparseMatrix"),
                                p.constant(indices(false)),
                                p.constant(floats(10, 5)),
                                p.constant(Tensor.of(Shape.of(2), 2L, 2L))))));
    }
}
