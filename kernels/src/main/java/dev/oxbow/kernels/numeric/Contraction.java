package dev.oxbow.kernels.numeric;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.kernels.numeric.MatrixProduct.Form;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * Sums of products over labelled dimensions (Einstein's notation) of one or two tensors. A label is a number; a label
 * that is not in the output is summed over, one that an operand repeats takes its diagonal.
 */
public final class Contraction {

    /*
     * Each operand is first packed: repeated labels become one with the sum of their strides, labels of this operand alone
     * are summed away, and the rest is ordered as batch, free, contracted. What is left is one batched matrix product,
     * whose elements are then put in the output's order. A dimension of 1 broadcasts by a stride of 0.
     */

    private final int[] sizesByLabel;
    private final MemoryPool pool;
    private final Parallel parallel;

    /** {@code sizes[l]} is the size of label l, after broadcasting. */
    public Contraction(int[] sizes, MemoryPool pool, Parallel parallel) {
        this.sizesByLabel = sizes.clone();
        this.pool = pool;
        this.parallel = parallel;
    }

    /** {@code y} = one operand's elements summed and reordered. */
    public void run(Tensor x, int[] labels, Tensor y, int[] output) {
        if (y.size() == 0) return;
        List<Integer> kept = distinct(output);
        try (Scratch s = new Scratch(pool, parallel)) {
            Tensor packed = pack(s, x, labels, kept);
            unpack(packed, kept, y, output);
        }
    }

    /** {@code y} = the contraction of two operands. */
    public void run(Tensor a, int[] labelsA, Tensor b, int[] labelsB, Tensor y, int[] output) {
        if (y.size() == 0) return;
        List<Integer> batch = new ArrayList<>(), freeA = new ArrayList<>(), freeB = new ArrayList<>();
        List<Integer> contracted = new ArrayList<>();
        List<Integer> inA = distinct(labelsA), inB = distinct(labelsB), out = distinct(output);
        for (int l : inA) {
            if (inB.contains(l)) (out.contains(l) ? batch : contracted).add(l);
            else if (out.contains(l)) freeA.add(l);
        }
        for (int l : inB) if (!inA.contains(l) && out.contains(l)) freeB.add(l);
        long n = size(batch), rows = size(freeA), columns = size(freeB), depth = size(contracted);
        try (Scratch s = new Scratch(pool, parallel)) {
            Tensor packedA = pack(s, a, labelsA, joined(batch, freeA, contracted)),
                    packedB = pack(s, b, labelsB, joined(batch, contracted, freeB));
            Tensor product = s.tensor(y.dtype(), n, rows, columns);
            if (depth == 0) Memory.zero(product.address(), product.byteSize());
            else
                MatrixProduct.of(Form.PLAIN, Form.PLAIN)
                        .run(
                                view(s, packedA, n, rows, depth),
                                view(s, packedB, n, depth, columns),
                                product,
                                pool,
                                parallel);
            unpack(product, joined(batch, freeA, freeB), y, output);
        }
    }

    private static Tensor view(Scratch s, Tensor t, long... dims) {
        Tensor v = t.view(Shape.of(dims));
        s.release(v);
        return v;
    }

    private static List<Integer> distinct(int[] labels) {
        List<Integer> l = new ArrayList<>();
        for (int x : labels) if (!l.contains(x)) l.add(x);
        return l;
    }

    @SafeVarargs
    private static List<Integer> joined(List<Integer>... lists) {
        List<Integer> all = new ArrayList<>();
        for (List<Integer> l : lists) all.addAll(l);
        return all;
    }

    private long size(List<Integer> labels) {
        long n = 1;
        for (int l : labels) n *= sizesByLabel[l];
        return n;
    }

    /** The stride of each wanted label in a tensor; 0 where it is broadcast. */
    private long[] strides(Shape shape, int[] labels, List<Integer> wanted) {
        long[] own = shape.strides(), strides = new long[wanted.size()];
        for (int d = 0; d < labels.length; d++) {
            int at = wanted.indexOf(labels[d]);
            if (at >= 0 && shape.dim(d) != 1) strides[at] += own[d];
        }
        return strides;
    }

    /** The operand densely in the order of {@code kept}, summed over its other labels. */
    private Tensor pack(Scratch s, Tensor x, int[] labels, List<Integer> kept) {
        List<Integer> summed = distinct(labels);
        summed.removeAll(kept);
        long[] dims = dims(kept), sums = dims(summed);
        long[] outer = strides(x.shape(), labels, kept), inner = strides(x.shape(), labels, summed);
        if (summed.isEmpty() && isDense(dims, outer)) return x;
        Tensor y = s.tensor(x.dtype(), size(kept));
        long terms = size(summed);
        parallel.run(y.size(), Math.max(1, (1 << 13) / Math.max(1, terms)), (from, to) -> {
            for (long i = from; i < to; i++) {
                long at = offset(i, dims, outer);
                if (summed.isEmpty()) copy(x, at, y, i);
                else total(x, at, terms, sums, inner, y, i);
            }
        });
        return y;
    }

    private void unpack(Tensor packed, List<Integer> kept, Tensor y, int[] output) {
        long[] dims = dims(kept),
                strides = new long[kept.size()],
                own = y.shape().strides();
        for (int d = 0; d < output.length; d++) strides[kept.indexOf(output[d])] += own[d];
        if (distinct(output).size() < output.length) Memory.zero(y.address(), y.byteSize());
        if (isDense(dims, strides)) {
            Memory.copy(packed.address(), y.address(), y.byteSize());
            return;
        }
        parallel.run(packed.size(), 1 << 13, (from, to) -> {
            for (long i = from; i < to; i++) copy(packed, i, y, offset(i, dims, strides));
        });
    }

    private long[] dims(List<Integer> labels) {
        return labels.stream().mapToLong(l -> sizesByLabel[l]).toArray();
    }

    private static boolean isDense(long[] dims, long[] strides) {
        long stride = 1;
        for (int d = dims.length - 1; d >= 0; d--) {
            if (dims[d] != 1 && strides[d] != stride) return false;
            stride *= dims[d];
        }
        return true;
    }

    private static long offset(long i, long[] dims, long[] strides) {
        long at = 0;
        for (int d = dims.length - 1; d >= 0; d--) {
            at += i % dims[d] * strides[d];
            i /= dims[d];
        }
        return at;
    }

    private static void copy(Tensor x, long i, Tensor y, long o) {
        int w = x.dtype().size();
        switch (w) {
            case 4 -> Memory.putInt(y.address() + 4 * o, Memory.getInt(x.address() + 4 * i));
            case 8 -> Memory.putLong(y.address() + 8 * o, Memory.getLong(x.address() + 8 * i));
            default -> Memory.copy(x.address() + i * w, y.address() + o * w, w);
        }
    }

    private static void total(Tensor x, long at, long terms, long[] dims, long[] strides, Tensor y, long o) {
        DType t = x.dtype();
        if (t.isInteger()) {
            long sum = 0;
            for (long k = 0; k < terms; k++) sum += x.getLong(at + offset(k, dims, strides));
            y.setLong(o, sum);
            return;
        }
        double re = 0, im = 0;
        for (long k = 0; k < terms; k++) {
            long i = at + offset(k, dims, strides);
            re += Matrix.real(x, i);
            im += Matrix.imaginary(x, i);
        }
        Matrix.put(y, o, re, im);
    }
}
