package dev.oxbow.ops.sparse;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.move.Concat;
import dev.oxbow.tensor.Counted;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.TensorCodec;
import dev.oxbow.wire.proto.TensorProto;
import java.util.ArrayList;
import java.util.List;

/** Sparse tensors as three elements each, indices, values and shape: serialised tensors or variants that hold them. */
final class SerializedSparse {

    /** A variant that holds a tensor. */
    private record Held(Tensor tensor) implements Counted {
        @Override
        public void retain() {
            tensor.retain();
        }

        @Override
        public void release() {
            tensor.release();
        }
    }

    private SerializedSparse() {}

    /** A tensor as an element of output dtype {@code to}; the caller gives a tensor that it owns. */
    static Object element(Tensor t, DType to) {
        if (to == DType.VARIANT) return new Held(t);
        byte[] bytes = TensorCodec.encodeContent(t).toByteArray();
        t.release();
        return bytes;
    }

    /** The tensor behind an element; the caller owns it. */
    private static Tensor tensor(Object element) {
        if (element instanceof Held h) return h.tensor.retain();
        require(element instanceof byte[], INVALID_ARGUMENT, "cannot read a sparse tensor from %s", element);
        try {
            TensorProto proto = TensorProto.parseFrom((byte[]) element);
            return TensorCodec.decode(
                    proto, TensorCodec.DEFAULT_MAX_BYTES, MemoryPool.shared(), "a serialized sparse tensor");
        } catch (InvalidProtocolBufferException e) {
            throw new OxbowException(INVALID_ARGUMENT, "Could not parse serialized proto", e);
        }
    }

    static List<TensorType> infer(InferenceContext c, DType dtype) {
        Shape s = c.shape(0);
        require(
                s.rank() < 0 || s.rank() >= 1 && (s.dim(-1) < 0 || s.dim(-1) == 3),
                INVALID_ARGUMENT,
                "Serialized sparse should have 3 as the last dimension, got %s",
                s);
        return Coordinates.types(dtype, -1);
    }

    /** Sparse tensors joined along new leading dimensions, those of the input but its last. */
    static void read(KernelContext c, DType dtype) {
        Tensor x = c.input(0);
        require(
                x.shape().rank() >= 1 && x.shape().dim(-1) == 3,
                INVALID_ARGUMENT,
                "Serialized sparse should have 3 as the last dimension, got %s",
                x.shape());
        Shape batch = x.shape().slice(0, x.shape().rank() - 1);
        List<Tensor> all = new ArrayList<>();
        try {
            for (int i = 0; i < Counts.toInt(x.size()); i++) all.add(tensor(x.objects()[i]));
        } catch (RuntimeException e) {
            all.forEach(Tensor::release);
            throw e;
        }
        join(c, dtype, batch, all, false);
    }

    /**
     * Sparse tensors, three tensors each, which are released, joined along new leading dimensions.
     *
     * @param stored whether they were kept in a map, of whose entries errors count the new dimension
     */
    static void join(KernelContext c, DType dtype, Shape batch, List<Tensor> all, boolean stored) {
        int count = Counts.toInt(batch.size()), rank = -1;
        try {
            List<long[]> rows = new ArrayList<>();
            List<Tensor> values = new ArrayList<>();
            long[] most = null;
            for (int i = 0; i < count; i++) {
                Coordinates s = part(all.subList(3 * i, 3 * i + 3), dtype, i);
                require(
                        rank < 0 || rank == s.rank(),
                        INVALID_ARGUMENT,
                        "Inconsistent %s across SparseTensors: rank prior to SparseTensor[%d] was: %d but rank of"
                                + " SparseTensor[%d] is: %d",
                        stored ? "rank" : "shape",
                        i,
                        stored ? rank + 1 : rank,
                        i,
                        stored ? s.rank() + 1 : s.rank());
                rank = s.rank();
                if (most == null) most = new long[rank];
                for (int d = 0; d < rank; d++) most[d] = Math.max(most[d], s.shape()[d]);
                for (long[] row : s.rows()) rows.add(prefixed(batch, i, row));
                values.add(s.values());
            }
            require(count > 0, INVALID_ARGUMENT, "Must have at least 1 serialized SparseTensor");
            Coordinates.emit(c, 0, rows, batch.rank() + rank);
            Tensor y = c.allocate(1, Shape.of(rows.size()));
            Concat.join(values, 0, y, c.parallel());
            Coordinates.vector(c, 2, batch.concat(Shape.of(most)).dims());
        } finally {
            all.forEach(Tensor::release);
        }
    }

    private static Coordinates part(List<Tensor> three, DType dtype, int i) {
        for (int k = 0; k < 3; k += 2)
            require(
                    three.get(k).dtype() == DType.I64,
                    INVALID_ARGUMENT,
                    "indices and shape of SparseTensor[%d] must be int64, got %s",
                    i,
                    three.get(k).describe());
        Tensor values = three.get(1);
        require(
                values.dtype() == dtype,
                INVALID_ARGUMENT,
                "Requested SparseTensor of type %s but SparseTensor[%d].values.dtype() == %s",
                dtype.inWords(),
                i,
                values.dtype().inWords());
        return Coordinates.of(three.get(0), values, three.get(2));
    }

    private static long[] prefixed(Shape batch, long i, long[] row) {
        long[] all = new long[batch.rank() + row.length];
        for (int d = batch.rank() - 1; d >= 0; d--) {
            all[d] = i % batch.dim(d);
            i /= batch.dim(d);
        }
        System.arraycopy(row, 0, all, batch.rank(), row.length);
        return all;
    }
}
