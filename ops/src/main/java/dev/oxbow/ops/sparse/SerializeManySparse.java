package dev.oxbow.ops.sparse;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.Parallel;
import dev.oxbow.kernels.move.Strided;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Supplying;
import dev.oxbow.tensor.Counted;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/** The slices of a sparse tensor along its first dimension, each as a row of three: indices, values and shape. */
@Signature(
        "SerializeManySparse(sparse_indices: int64, sparse_values: T, sparse_shape: int64) -> (serialized_sparse: out_type) {T: type; out_type: type in [STRING VARIANT] = STRING}")
public record SerializeManySparse(DType outType) implements NotDifferentiable, Supplying {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        long[] shape = c.longs(2);
        return List.of(new TensorType(outType, Shape.of(shape == null || shape.length == 0 ? -1 : shape[0], 3)));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Coordinates x = Coordinates.of(c.input(0), c.input(1), c.input(2)).inside();
            require(
                    x.rank() > 1,
                    INVALID_ARGUMENT,
                    "Rank of input SparseTensor should be > 1, but saw rank: %d",
                    x.rank());
            int n = Counts.objects(x.shape()[0], 128), depth = x.rank() - 1, next = 0;
            int[] order = byRow(x);
            Tensor shape = c.memory().tensor(DType.I64, Shape.of(depth), c.node());
            for (int d = 0; d < depth; d++) shape.setLong(d, x.shape()[d + 1]);
            Object[] empty = part(c, x, new int[0]), parts = new Object[3 * n];
            Object dense = SerializedSparse.element(shape, outType);
            for (int i = 0; i < n; i++) {
                int from = next;
                while (next < order.length && x.rows()[order[next]][0] == i) next++;
                Object[] own = from == next ? empty : part(c, x, Arrays.copyOfRange(order, from, next));
                for (int k = 0; k < 2; k++) parts[3 * i + k] = from == next ? shared(own[k]) : own[k];
                parts[3 * i + 2] = shared(dense);
            }
            for (Object o : new Object[] {empty[0], empty[1], dense}) if (o instanceof Counted held) held.release();
            c.set(0, Tensor.ofObjects(outType, Shape.of(n, 3), parts));
        };
    }

    /** Indices and values of these entries, without their first coordinate. */
    private Object[] part(KernelContext c, Coordinates x, int[] own) {
        int depth = x.rank() - 1;
        Tensor indices = c.memory().tensor(DType.I64, Shape.of(own.length, depth), c.node());
        Tensor values = c.memory().tensor(x.values().dtype(), Shape.of(own.length), c.node());
        long[] one = {1};
        for (int k = 0; k < own.length; k++) {
            for (int d = 0; d < depth; d++) indices.setLong((long) k * depth + d, x.rows()[own[k]][d + 1]);
            Strided.copy(x.values(), own[k], one, values, k, one, one, Parallel.SERIAL);
        }
        return new Object[] {SerializedSparse.element(indices, outType), SerializedSparse.element(values, outType)};
    }

    private static Object shared(Object element) {
        if (element instanceof Counted held) held.retain();
        return element;
    }

    /** The entries, those of one row together, otherwise in the order in which they are. */
    private static int[] byRow(Coordinates x) {
        return IntStream.range(0, x.count())
                .boxed()
                .sorted(Comparator.comparingLong(k -> x.rows()[k][0]))
                .mapToInt(Integer::intValue)
                .toArray();
    }
}
