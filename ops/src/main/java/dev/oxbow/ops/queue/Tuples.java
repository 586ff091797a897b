package dev.oxbow.ops.queue;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.tensor.Counted;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** Tuples of tensors as queues hold them: kept, cut into rows, stacked again, with zeros where elements are smaller. */
final class Tuples {
    private Tuples() {}

    /** Inputs from {@code first} on, kept beyond the step; the caller owns them. */
    static Tensor[] keep(KernelContext c, int first) {
        Tensor[] t = new Tensor[c.inputCount() - first];
        for (int i = 0; i < t.length; i++) t[i] = c.keep(first + i);
        return t;
    }

    /** Checks that a tuple is what somebody who takes it has declared, before it is taken. */
    static void require(Tensor[] tuple, List<DType> declared) {
        List<DType> held = Stream.of(tuple).map(Tensor::dtype).toList();
        OxbowException.require(
                held.equals(declared), INVALID_ARGUMENT, "the tuple holds %s, wanted were %s", held, declared);
    }

    static void release(Tensor[] tuple) {
        for (Tensor t : tuple) if (t != null) t.release();
    }

    /** Row {@code i} of the first dimension, a copy. */
    static Tensor row(MemoryPool pool, Tensor t, long i, Object holder) {
        Shape shape = t.shape().slice(1, t.shape().rank());
        Tensor row = pool.tensor(t.dtype(), shape, holder);
        copy(t, i * shape.size(), row, 0, shape.size());
        return row;
    }

    static void copy(Tensor from, long at, Tensor to, long target, long n) {
        if (n == 0) return;
        if (from.dtype().isObject()) {
            System.arraycopy(from.objects(), (int) at, to.objects(), (int) target, (int) n);
            for (long i = 0; i < n; i++)
                if (to.objects()[(int) (target + i)] instanceof Counted counted) counted.retain();
            return;
        }
        int w = from.dtype().size();
        Memory.copy(from.address() + at * w, to.address() + target * w, n * w);
    }

    /** The shape of {@code count} elements stacked: the largest in every dimension. */
    static Shape stacked(List<Tensor[]> tuples, int component, Shape element) {
        Shape s = element;
        if (!s.isFullyKnown()) {
            long[] dims = tuples.isEmpty()
                    ? zeros(s)
                    : tuples.get(0)[component].shape().dims();
            for (Tensor[] t : tuples) {
                for (int d = 0; d < dims.length; d++)
                    dims[d] = Math.max(dims[d], t[component].shape().dim(d));
            }
            s = Shape.of(dims);
        }
        return Shape.of(tuples.size()).concat(s);
    }

    private static long[] zeros(Shape s) {
        long[] dims = s.isRankKnown() ? s.dims() : new long[0];
        for (int i = 0; i < dims.length; i++) dims[i] = Math.max(0, dims[i]);
        return dims;
    }

    /** Stacks one component of all tuples into {@code y}, whose elements may be larger: the rest is zeros. */
    static void stack(List<Tensor[]> tuples, int component, Tensor y) {
        Shape element = y.shape().slice(1, y.shape().rank());
        long n = element.size();
        boolean padded = tuples.stream().anyMatch(t -> !t[component].shape().equals(element));
        if (padded && y.dtype().isObject()) Arrays.fill(y.objects(), new byte[0]);
        else if (padded) Memory.zero(y.address(), y.byteSize());
        for (int i = 0; i < tuples.size(); i++) {
            Tensor x = tuples.get(i)[component];
            if (x.shape().equals(element)) copy(x, 0, y, i * n, n);
            else pad(x, y, i * n, element);
        }
    }

    private static void pad(Tensor x, Tensor y, long at, Shape element) {
        int rank = x.shape().rank();
        boolean fits = rank == element.rank();
        for (int d = 0; d < rank && fits; d++) fits = x.shape().dim(d) <= element.dim(d);
        OxbowException.require(
                fits, INVALID_ARGUMENT, "an element of shape %s does not fit among those of %s", x.shape(), element);
        if (x.size() == 0) return;
        long[] strides = element.strides();
        long inner = rank == 0 ? 1 : x.shape().dim(rank - 1), rows = x.size() / inner;
        long[] index = new long[rank];
        for (long row = 0; row < rows; row++) {
            long target = at;
            for (int d = 0; d < rank - 1; d++) target += index[d] * strides[d];
            copy(x, row * inner, y, target, inner);
            for (int d = rank - 2; d >= 0 && ++index[d] == x.shape().dim(d); d--) index[d] = 0;
        }
    }
}
