package dev.oxbow.testing.samples;

import static dev.oxbow.tensor.DType.BF16;
import static dev.oxbow.tensor.DType.C128;
import static dev.oxbow.tensor.DType.C64;
import static dev.oxbow.tensor.DType.F16;
import static dev.oxbow.tensor.DType.F32;
import static dev.oxbow.tensor.DType.F64;
import static dev.oxbow.tensor.DType.I32;
import static dev.oxbow.tensor.DType.I64;
import static dev.oxbow.tensor.DType.I8;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.core.Placeholder;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.linalg.BandedTriangularSolve;
import dev.oxbow.ops.linalg.BatchCholesky;
import dev.oxbow.ops.linalg.BatchCholeskyGrad;
import dev.oxbow.ops.linalg.BatchMatMul;
import dev.oxbow.ops.linalg.BatchMatMulV2;
import dev.oxbow.ops.linalg.BatchMatMulV3;
import dev.oxbow.ops.linalg.BatchMatrixDeterminant;
import dev.oxbow.ops.linalg.BatchMatrixInverse;
import dev.oxbow.ops.linalg.BatchMatrixSolve;
import dev.oxbow.ops.linalg.BatchMatrixSolveLs;
import dev.oxbow.ops.linalg.BatchMatrixTriangularSolve;
import dev.oxbow.ops.linalg.BatchSelfAdjointEig;
import dev.oxbow.ops.linalg.BatchSelfAdjointEigV2;
import dev.oxbow.ops.linalg.BatchSvd;
import dev.oxbow.ops.linalg.Cholesky;
import dev.oxbow.ops.linalg.CholeskyGrad;
import dev.oxbow.ops.linalg.Eig;
import dev.oxbow.ops.linalg.Einsum;
import dev.oxbow.ops.linalg.LogMatrixDeterminant;
import dev.oxbow.ops.linalg.Lu;
import dev.oxbow.ops.linalg.MatMul;
import dev.oxbow.ops.linalg.MatrixDeterminant;
import dev.oxbow.ops.linalg.MatrixExponential;
import dev.oxbow.ops.linalg.MatrixInverse;
import dev.oxbow.ops.linalg.MatrixLogarithm;
import dev.oxbow.ops.linalg.MatrixSolve;
import dev.oxbow.ops.linalg.MatrixSolveLs;
import dev.oxbow.ops.linalg.MatrixSquareRoot;
import dev.oxbow.ops.linalg.MatrixTriangularSolve;
import dev.oxbow.ops.linalg.Qr;
import dev.oxbow.ops.linalg.SelfAdjointEig;
import dev.oxbow.ops.linalg.SelfAdjointEigV2;
import dev.oxbow.ops.linalg.SparseMatMul;
import dev.oxbow.ops.linalg.Svd;
import dev.oxbow.ops.linalg.TridiagonalMatMul;
import dev.oxbow.ops.linalg.TridiagonalSolve;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Samples of matrix products, decompositions, systems and functions. */
public final class LinalgSamples extends SampleFamily {

    @Override
    public String name() {
        return "linalg";
    }

    @Override
    protected void define() {
        products();
        einsums();
        systems();
        decompositions();
        functions();
        bands();
    }

    /** Well-conditioned square matrices: random ones plus a multiple of the identity. */
    private static Tensor regular(DType dtype, long seed, long... dims) {
        Tensor t = random(dtype, -1, 1, seed, dims);
        int n = (int) dims[dims.length - 1];
        for (long i = 0; i < t.size(); i++) {
            if (i / n % n != i % n) continue;
            if (dtype.isComplex()) t.set(i, 3 + 0.2 * (i % n));
            else t.set(i, t.getDouble(i) + 3);
        }
        return t;
    }

    private void products() {
        for (boolean a : new boolean[] {false, true}) {
            for (boolean b : new boolean[] {false, true}) {
                long[] x = a ? new long[] {2, 3, 2} : new long[] {2, 2, 3},
                        y = b ? new long[] {2, 4, 3} : new long[] {2, 3, 4};
                sample(new MatMul(a, b), floats(1, a ? 3 : 2, a ? 2 : 3), floats(2, b ? 4 : 3, b ? 3 : 4));
                sample(new BatchMatMul(a, b), floats(3, x), floats(4, y));
                sample(new BatchMatMulV2(a, b), doubles(5, x), random(F64, -2, 2, 6, y[1], y[2]));
                sample(new BatchMatMulV2(a, b), random(C64, -2, 2, 7, x), random(C64, -2, 2, 8, y));
                sample(new BatchMatMulV3(F32, a, b), floats(9, x), floats(10, 3, 1, y[1], y[2]));
                sample(
                        new SparseMatMul(a, b, true, false),
                        floats(11, a ? 3 : 2, a ? 2 : 3),
                        floats(12, b ? 4 : 3, b ? 3 : 4));
            }
        }
        for (DType t : new DType[] {F16, BF16, F32, F64, I32, I64, C64, C128}) {
            sampleWithoutGradient(new MatMul(false, false), random(t, -3, 3, 13, 3, 2), random(t, -3, 3, 14, 2, 3));
            sampleWithoutGradient(
                    new BatchMatMulV2(false, false), random(t, -3, 3, 15, 2, 3, 2), random(t, -3, 3, 16, 2, 2, 3));
        }
        sample(new MatMul(false, false), floats(17, 0, 3), floats(18, 3, 2));
        sample(new MatMul(false, false), floats(17, 2, 0), floats(18, 0, 2));
        sample(new BatchMatMulV2(false, false), floats(17, 2, 2, 0), floats(18, 0, 2));
        sample(new BatchMatMulV2(false, false), floats(17, 1, 1), floats(18, 1, 1));
        sampleWithoutGradient(
                new BatchMatMulV3(I32, false, false), random(I8, -9, 9, 19, 2, 3), random(I8, -9, 9, 20, 3, 2));
        sampleWithoutGradient(
                new SparseMatMul(false, false, false, false),
                random(BF16, -2, 2, 21, 2, 3),
                random(F32, -2, 2, 22, 3, 2));
    }

    private void einsums() {
        for (String equation : new String[] {"ij->ji", "ij->i", "ii->i", "ii->", "ij->", "i->ii"}) {
            int rank = equation.indexOf('-');
            sample(new Einsum(equation), rank == 1 ? floats(30, 3) : floats(31, 3, 3));
        }
        sample(new Einsum("ijj->ji"), doubles(32, 2, 3, 3));
        sample(new Einsum("...ij->...ji"), doubles(33, 2, 1, 2, 3));
        sample(new Einsum("a...b->..."), doubles(34, 2, 3, 2));
        sample(new Einsum("ij,jk->ik"), doubles(35, 2, 3), doubles(36, 3, 4));
        sample(new Einsum("ij,jk->ki"), floats(37, 2, 3), floats(38, 3, 4));
        sample(new Einsum("bij,bjk->bik"), doubles(39, 2, 2, 3), doubles(40, 2, 3, 2));
        sample(new Einsum("...ij,...jk->...ik"), doubles(41, 2, 1, 2, 3), doubles(42, 3, 3, 2));
        sample(new Einsum("i,j->ij"), doubles(43, 3), doubles(44, 2));
        sample(new Einsum("ij,ij->"), doubles(45, 2, 3), doubles(46, 2, 3));
        sample(new Einsum("abc,bad->c"), doubles(47, 2, 3, 2), doubles(48, 3, 2, 2));
        sample(new Einsum("iij,jk->ik"), doubles(49, 2, 2, 3), doubles(50, 3, 2));
        sampleWithoutGradient(new Einsum("ij,jk->ik"), random(I64, -5, 5, 51, 2, 3), random(I64, -5, 5, 52, 3, 2));
        sampleWithoutGradient(new Einsum("ij,jk->ik"), random(C64, -5, 5, 53, 2, 3), random(C64, -5, 5, 54, 3, 2));
        sampleWithoutGradient(new Einsum("ij,jk->ik"), floats(55, 2, 0), floats(56, 0, 2));
    }

    private void systems() {
        for (boolean adjoint : new boolean[] {false, true}) {
            sample(new MatrixInverse(adjoint), regular(F64, 60, 2, 3, 3));
            sample(new MatrixInverse(adjoint), regular(C64, 61, 3, 3));
            sample(new MatrixSolve(adjoint), regular(F64, 62, 2, 3, 3), doubles(63, 2, 3, 2));
            sample(new MatrixSolve(adjoint), regular(C128, 64, 2, 2), random(C128, -2, 2, 65, 2, 1));
            for (boolean lower : new boolean[] {false, true}) {
                sample(new MatrixTriangularSolve(lower, adjoint), regular(F64, 66, 2, 3, 3), doubles(67, 2, 3, 2));
                sample(new MatrixTriangularSolve(lower, adjoint), regular(F64, 68, 3, 3), doubles(69, 2, 3, 1));
                sample(new MatrixTriangularSolve(lower, adjoint), regular(C64, 70, 2, 2), random(C64, -2, 2, 71, 2, 2));
            }
        }
        sample(new MatrixInverse(false), regular(F32, 72, 1, 1));
        sample(new MatrixInverse(false), regular(F32, 72, 0, 2, 2));
        sampleWithoutGradient(new MatrixInverse(false), Tensor.zeros(F32, Shape.of(2, 2)));
        sample(new MatrixDeterminant(), regular(F64, 73, 2, 3, 3));
        sample(new MatrixDeterminant(), regular(C64, 74, 2, 2));
        sample(new MatrixDeterminant(), doubles(75, 0, 0));
        samplePart(new LogMatrixDeterminant(), new int[] {0}, new int[] {1}, regular(F64, 76, 2, 3, 3));
        sampleWithoutGradient(new LogMatrixDeterminant(), regular(C64, 77, 3, 3));
        Tensor l2 = Tensor.scalar(0.1);
        samplePart(
                new MatrixSolveLs(true),
                new int[] {0, 1},
                new int[] {0},
                doubles(78, 2, 4, 3),
                doubles(79, 2, 4, 2),
                l2);
        samplePart(new MatrixSolveLs(true), new int[] {0, 1}, new int[] {0}, doubles(80, 2, 3), doubles(81, 2, 2), l2);
        sampleWithoutGradient(new MatrixSolveLs(false), doubles(82, 4, 3), doubles(83, 4, 2), Tensor.scalar(0.0));
        sampleWithoutGradient(new MatrixSolveLs(false), doubles(84, 2, 3), doubles(85, 2, 2), Tensor.scalar(0.0));
        sampleWithoutGradient(new MatrixSolveLs(true), random(C64, -2, 2, 86, 4, 3), random(C64, -2, 2, 87, 4, 2), l2);
        sampleUnanswered(new BatchMatrixInverse(false), regular(F32, 88, 2, 2, 2));
        sampleUnanswered(new BatchMatrixDeterminant(), regular(F32, 89, 2, 2, 2));
        sampleUnanswered(new BatchMatrixSolve(false), regular(F32, 90, 2, 2, 2), floats(91, 2, 2, 1));
        sampleUnanswered(new BatchMatrixTriangularSolve(true, false), regular(F32, 92, 2, 2, 2), floats(93, 2, 2, 1));
        sampleUnanswered(new BatchMatrixSolveLs(true), floats(94, 2, 3, 2), floats(95, 2, 3, 1), l2);
    }

    /** Symmetric positive definite matrices. */
    private static Tensor positive(DType dtype, long seed, int n) {
        Tensor a = random(dtype, -1, 1, seed, n, n), p = Tensor.zeros(dtype, Shape.of(n, n));
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                double sum = i == j ? 1 + i : 0;
                for (int k = 0; k < n; k++) sum += a.getDouble((long) i * n + k) * a.getDouble((long) j * n + k);
                p.set((long) i * n + j, sum);
            }
        }
        return p;
    }

    private void decompositions() {
        for (int n : new int[] {1, 2, 4}) {
            Tensor p = positive(F64, 100 + n, n);
            program("Cholesky", g -> {
                Value x = Value.of(g.graph()
                        .add(new Placeholder(F64, p.shape()), List.of())
                        .edge(0));
                Value a = Value.apply(new BatchMatMulV2(false, true), x, x)
                        .plus(x.ops().constant(p));
                Value l = Value.apply(new Cholesky(), a);
                g.run(Map.of(x.edge().name(), p), List.of(l.edge()));
                g.gradient(List.of(x.edge()), List.of(l.edge()));
            });
            sampleWithoutGradient(new Cholesky(), positive(F32, 110 + n, n));
            sampleUnanswered(new BatchCholesky(), positive(F32, 111 + n, n));
            sampleWithoutGradient(new CholeskyGrad(), regular(F64, 112 + n, n, n), doubles(113 + n, n, n));
            sampleUnanswered(new BatchCholeskyGrad(), regular(F32, 114 + n, n, n), floats(115 + n, n, n));
            sampleFirst(1, new SelfAdjointEigV2(false), new int[] {0}, new int[] {0}, positive(F64, 116 + n, n));
            sampleUnanswered(new BatchSelfAdjointEigV2(false), positive(F32, 118 + n, n));
            up(new SelfAdjointEigV2(true), 1, positive(F64, 119 + n, n));
            sampleWithoutGradient(new Lu(I32), regular(F64, 121 + n, 2, n, n));
            sampleWithoutGradient(new Lu(I64), regular(C64, 122 + n, n, n));
        }
        sampleUnanswered(new SelfAdjointEig(), positive(F64, 130, 3));
        sampleUnanswered(new BatchSelfAdjointEig(), positive(F64, 131, 3));
        for (long[] dims : new long[][] {{3, 3}, {4, 2}, {2, 4}, {2, 3, 2}, {1, 1}}) {
            for (boolean full : new boolean[] {false, true}) {
                boolean tall = dims[dims.length - 2] > dims[dims.length - 1];
                if (full && tall) sampleWithoutGradient(new Qr(full), doubles(132, dims));
                else sample(new Qr(full), doubles(133, dims));
                up(new Svd(true, full), 0, doubles(134, dims));
                sampleUnanswered(new BatchSvd(true, full), doubles(135, dims));
            }
            sampleFirst(1, new Svd(false, false), new int[] {0}, new int[] {0}, doubles(136, dims));
        }
        sampleWithoutGradient(new Qr(false), random(C64, -2, 2, 137, 3, 2));
        sampleFirst(1, new Svd(false, false), new int[0], new int[0], random(C64, -2, 2, 138, 3, 2));
        sampleFirst(1, new Eig(false, C128), new int[0], new int[0], Tensor.of(Shape.of(2, 2), 2.0, 1.0, 0.0, 3.0));
        eigen(true, doubles(139, 2, 3, 3));
        eigen(false, doubles(140, 4, 4));
        eigen(true, doubles(141, 1, 1));
    }

    /** Eigenvalues in no order and vectors of any phase: what does not depend on either, and its gradient. */
    private void eigen(boolean vectors, Tensor x) {
        program("Eig", p -> {
            Edge in = p.add(new Placeholder(x.dtype(), x.shape())).edge(0);
            Node n = p.add(new Eig(vectors, C128), in);
            Value e = Value.of(n.edge(0)).exp().real().sum(-1), y = e;
            if (vectors) {
                Value sizes =
                        Value.of(n.edge(1)).times(Value.of(n.edge(1)).conj()).real();
                y = e.times(2).plus(sizes.square().sum(-1, -2));
            }
            p.run(Map.of(in.name(), x), List.of(y.edge()));
            p.gradient(List.of(in), List.of(y.edge()));
        });
    }

    /** An op whose vectors are only known up to sign: the absolute values of its real outputs, from the given one on. */
    private void up(Op op, int first, Tensor x) {
        program(op.signature().name(), p -> {
            Node n = p.add(op, p.constant(x));
            List<Edge> fetches = new ArrayList<>();
            for (int i = first; i < n.outputCount(); i++)
                fetches.add(Value.of(n.edge(i)).abs().edge());
            p.run(Map.of(), fetches);
        });
    }

    private void functions() {
        for (int n : new int[] {1, 3}) {
            sample(new MatrixSquareRoot(), positive(F64, 140, n));
            sampleWithoutGradient(new MatrixSquareRoot(), regular(C64, 141, 2, n, n));
            sampleWithoutGradient(new MatrixLogarithm(), regular(C64, 142, 2, n, n));
            sampleWithoutGradient(new MatrixLogarithm(), regular(C128, 143, n, n));
            sampleUnanswered(new MatrixExponential(), doubles(144, n, n));
        }
    }

    private void bands() {
        for (boolean pivoting : new boolean[] {false, true}) {
            Tensor d = random(F64, 1, 2, 150, 2, 3, 4);
            for (int i = 0; i < 8; i++) d.set(i / 4 * 12 + 4 + i % 4, 5);
            sample(new TridiagonalSolve(pivoting, false), d, doubles(151, 2, 4, 2));
            sample(new TridiagonalSolve(pivoting, false), random(F64, 1, 2, 152, 3, 1), doubles(153, 1, 1));
        }
        sampleWithoutGradient(
                new TridiagonalSolve(true, false), random(C64, -2, 2, 154, 3, 4), random(C64, -2, 2, 155, 4, 1));
        sample(
                new TridiagonalMatMul(),
                doubles(156, 2, 1, 4),
                doubles(157, 2, 1, 4),
                doubles(158, 2, 1, 4),
                doubles(159, 2, 4, 3));
        sample(new TridiagonalMatMul(), doubles(156, 1, 1), doubles(157, 1, 1), doubles(158, 1, 1), doubles(159, 1, 2));
        for (boolean lower : new boolean[] {false, true}) {
            for (boolean adjoint : new boolean[] {false, true}) {
                sample(new BandedTriangularSolve(lower, adjoint), random(F64, 1, 2, 160, 2, 4), doubles(161, 4, 2));
                sample(new BandedTriangularSolve(lower, adjoint), random(F64, 1, 2, 162, 2, 3, 4), doubles(163, 4, 1));
                sampleWithoutGradient(
                        new BandedTriangularSolve(lower, adjoint),
                        random(C64, 1, 2, 164, 2, 3),
                        random(C64, 1, 2, 165, 3, 2));
            }
        }
    }
}
