package dev.oxbow.cuda;

import dev.oxbow.cuda.Descriptor.Sort;
import dev.oxbow.cuda.Descriptor.Type;
import dev.oxbow.graph.TensorType;
import dev.oxbow.tensor.DType;
import java.util.ArrayList;
import java.util.List;

/**
 * Attention, or its gradient, as a graph of cuDNN's operations, which its engines know as a whole: nothing of the size of all
 * scores is written. Tensors lie as {@code [batch, time, heads, channels]}; queries, keys and values, and their gradients,
 * where they are {@code packed}, as parts of one {@code [batch, time, 3, heads, channels]}.
 */
record AttentionPlan(
        boolean backward,
        boolean packed,
        DType dtype,
        long batch,
        long heads,
        long queries,
        long keys,
        long depth,
        boolean causal)
        implements DnnWork {

    /** The numbers of tensors: those of the op's inputs and outputs, then sums of the gradient, and three numbers by value. */
    static final int Q = 1;

    static final int K = 2;
    static final int V = 3;
    static final int Y = 4;
    static final int STATS = 5;
    static final int DY = 6;
    static final int DQ = 7;
    static final int DK = 8;
    static final int DV = 9;
    static final int SUMS = 10;
    static final int SCALE = 11;
    static final int NEVER = 12;
    static final int ONE = 13;
    private static final int FIRST_BETWEEN = 100;

    private static final int ADD = 0;
    private static final int MULTIPLY = 1;
    private static final int DIVIDE = 6;
    private static final int SUBTRACT = 9;
    private static final int EXP = 13;
    private static final int LOG = 15;
    private static final int NOT_BEFORE = 303;
    private static final int INDEX = 501;
    private static final int SELECT = 601;
    private static final int LARGEST = 3;
    private static final int F32 = 0;
    private static final int I32 = 4;
    private static final int BOOL = 11;

    /** A tensor of the graph. */
    private record Value(long descriptor, long[] dims, long[] strides) {}

    /** For queries and keys of these shapes; or for a shape of all. */
    static AttentionPlan of(boolean backward, TensorType q, TensorType k, boolean causal) {
        long[] a = q.shape().dims();
        int heads = a.length - 2;
        return new AttentionPlan(
                backward,
                a.length == 5,
                q.dtype(),
                a[0],
                a[heads],
                a[1],
                k.shape().dim(1),
                a[heads + 1],
                causal);
    }

    @Override
    public boolean isTrueF32() {
        return false;
    }

    @Override
    public long[] operations() {
        Builder b = new Builder();
        if (backward) b.gradient();
        else b.attention();
        return b.made.stream().mapToLong(v -> v).toArray();
    }

    private final class Builder {
        final List<Long> made = new ArrayList<>();
        private int between = FIRST_BETWEEN;
        private final long[] rows = {batch, heads, queries, 1};
        private final long[] rowStrides = {heads * queries, queries, 1, 1};
        private final long[] scores = {batch, heads, queries, keys};
        private final long[] scoreStrides = {heads * queries * keys, queries * keys, keys, 1};

        private Value tensor(int number, int type, long[] dims, long[] strides, boolean virtual, boolean byValue) {
            Descriptor d = new Descriptor(Sort.TENSOR)
                    .set(901, Type.DATA_TYPE, type)
                    .set(902, Type.INT64, dims)
                    .set(903, Type.INT64, strides)
                    .set(906, Type.INT64, number)
                    .set(900, Type.INT64, 16);
            if (virtual) d.set(907, Type.BOOLEAN, 1);
            if (byValue) d.set(908, Type.BOOLEAN, 1);
            return new Value(d.done(), dims, strides);
        }

        private Value between(int type, long[] dims, long[] strides) {
            return tensor(between++, type, dims, strides, true, false);
        }

        private Value like(int type, Value v) {
            return between(type, v.dims, v.strides);
        }

        private Value number(int number) {
            long[] one = {1, 1, 1, 1};
            return tensor(number, F32, one, one, false, true);
        }

        /** Heads as rows of matrices; or, {@code turned}, as columns. */
        private Value input(int number, long time, boolean turned) {
            boolean part = packed && number != Y && number != DY;
            long row = (part ? 3 : 1) * heads * depth;
            return tensor(
                    number,
                    Descriptor.type(dtype),
                    turned ? new long[] {batch, heads, depth, time} : new long[] {batch, heads, time, depth},
                    turned ? new long[] {time * row, depth, 1, row} : new long[] {time * row, depth, row, 1},
                    false,
                    false);
        }

        private Value multiplied(Value a, Value b, Value c) {
            long how =
                    new Descriptor(Sort.MATMUL).set(1500, Type.DATA_TYPE, F32).done();
            made.add(new Descriptor(Sort.OPERATION_MATMUL)
                    .set(1520, Type.DESCRIPTOR, a.descriptor)
                    .set(1521, Type.DESCRIPTOR, b.descriptor)
                    .set(1522, Type.DESCRIPTOR, c.descriptor)
                    .set(1523, Type.DESCRIPTOR, how)
                    .done());
            return c;
        }

        /** One element of each operand makes one of {@code y}; the second and third may be missing. */
        private Value each(int mode, Value y, Value x, Value b, Value t) {
            long how = new Descriptor(Sort.POINTWISE)
                    .set(0, Type.POINTWISE_MODE, mode)
                    .set(1, Type.DATA_TYPE, mode == NOT_BEFORE ? BOOL : F32)
                    .done();
            return each(how, y, x, b, t);
        }

        private Value each(long how, Value y, Value x, Value b, Value t) {
            Descriptor d = new Descriptor(Sort.OPERATION_POINTWISE)
                    .set(750, Type.DESCRIPTOR, how)
                    .set(751, Type.DESCRIPTOR, x.descriptor);
            if (b != null) d.set(752, Type.DESCRIPTOR, b.descriptor);
            if (t != null) d.set(758, Type.DESCRIPTOR, t.descriptor);
            made.add(d.set(753, Type.DESCRIPTOR, y.descriptor).done());
            return y;
        }

        private Value index(Value x, int axis) {
            long how = new Descriptor(Sort.POINTWISE)
                    .set(0, Type.POINTWISE_MODE, INDEX)
                    .set(1, Type.DATA_TYPE, F32)
                    .set(9, Type.INT64, axis)
                    .done();
            return each(how, like(I32, x), x, null, null);
        }

        private Value folded(int mode, Value x) {
            Value y = between(F32, rows, rowStrides);
            long how = new Descriptor(Sort.REDUCTION)
                    .set(1600, Type.REDUCTION, mode)
                    .set(1601, Type.DATA_TYPE, F32)
                    .done();
            made.add(new Descriptor(Sort.OPERATION_REDUCTION)
                    .set(1610, Type.DESCRIPTOR, x.descriptor)
                    .set(1611, Type.DESCRIPTOR, y.descriptor)
                    .set(1612, Type.DESCRIPTOR, how)
                    .done());
            return y;
        }

        private Value turned(Value x) {
            long[] d = x.dims, s = x.strides;
            Value y = between(
                    Descriptor.type(dtype), new long[] {d[0], d[1], d[3], d[2]}, new long[] {s[0], s[1], s[3], s[2]});
            made.add(new Descriptor(Sort.OPERATION_RESHAPE)
                    .set(2200, Type.DESCRIPTOR, x.descriptor)
                    .set(2201, Type.DESCRIPTOR, y.descriptor)
                    .done());
            return y;
        }

        private Value scored(Value q, Value k) {
            Value x = multiplied(q, k, between(F32, scores, scoreStrides));
            return each(MULTIPLY, like(F32, x), x, number(SCALE), null);
        }

        private Value masked(Value x) {
            if (!causal) return x;
            Value row = index(x, 2), column = index(x, 3);
            Value seen = each(NOT_BEFORE, like(BOOL, x), row, column, null);
            return each(SELECT, like(F32, x), x, number(NEVER), seen);
        }

        void attention() {
            Value x = masked(scored(input(Q, queries, false), input(K, keys, true)));
            Value most = folded(LARGEST, x);
            Value less = each(SUBTRACT, like(F32, x), x, most, null);
            Value e = each(EXP, like(F32, x), less, null, null);
            Value sum = folded(ADD, e), log = each(LOG, like(F32, sum), sum, null, null);
            each(ADD, tensor(STATS, F32, rows, rowStrides, false, false), most, log, null);
            Value p = each(DIVIDE, like(Descriptor.type(dtype), x), e, sum, null);
            multiplied(p, input(V, keys, false), input(Y, queries, false));
        }

        void gradient() {
            Value q = input(Q, queries, false), k = input(K, keys, true), dy = input(DY, queries, false);
            long[] each = {batch, heads, queries, depth};
            long[] apart = {heads * queries * depth, queries * depth, heads * depth, 1};
            Value both = each(MULTIPLY, between(F32, each, apart), dy, input(Y, queries, false), null);
            Value sums = tensor(SUMS, F32, rows, rowStrides, false, false);
            each(MULTIPLY, sums, folded(ADD, both), number(ONE), null);
            Value x = scored(q, k);
            x = each(SUBTRACT, like(F32, x), x, tensor(STATS, F32, rows, rowStrides, false, false), null);
            x = masked(x);
            Value p = each(EXP, like(F32, x), x, null, null);
            multiplied(turned(p), dy, input(DV, keys, false));
            Value dp = multiplied(dy, input(V, keys, true), between(F32, scores, scoreStrides));
            dp = each(SUBTRACT, like(F32, dp), dp, sums, null);
            dp = each(MULTIPLY, like(F32, dp), dp, p, null);
            Value ds = each(MULTIPLY, like(Descriptor.type(dtype), dp), dp, number(SCALE), null);
            multiplied(turned(ds), q, input(DK, keys, false));
            multiplied(ds, turned(k), input(DQ, queries, false));
        }
    }

    @Override
    public String key() {
        return toString();
    }

    @Override
    public String toString() {
        return "%sattention of %s, %d x %d heads, %d to %d positions of %d%s%s"
                .formatted(
                        backward ? "gradient of " : "",
                        dtype,
                        batch,
                        heads,
                        queries,
                        keys,
                        depth,
                        causal ? ", causal" : "",
                        packed ? ", in one" : "");
    }
}
