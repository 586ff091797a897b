package dev.oxbow.ops;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.core.Const;
import dev.oxbow.ops.array.ConcatV2;
import dev.oxbow.ops.array.Slice;
import dev.oxbow.ops.array.StridedSlice;
import dev.oxbow.ops.array.Unique;
import dev.oxbow.ops.math.UnsortedSegmentSum;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * A sparse gradient: {@code values[i]} belongs to row {@code indices[i]}, rows may repeat, all others are zero. It
 * becomes dense when it is used as an ordinary value.
 */
public final class Slices extends Value {
    private final Value values;
    private final Value indices;
    private final Value denseShape;
    private Edge dense;

    /** Rows of shape {@code denseShape[1:]} at the 1-D {@code indices}; {@code denseShape} is a 1-D integer value. */
    public Slices(Value values, Value indices, Value denseShape) {
        super(null);
        this.values = values;
        this.indices = indices;
        this.denseShape = denseShape;
    }

    public Value values() {
        return values;
    }

    public Value indices() {
        return indices;
    }

    public Value denseShape() {
        return denseShape;
    }

    /** The dense value: rows summed where they repeat, zero elsewhere. */
    @Override
    public synchronized Edge edge() {
        if (dense == null)
            dense = apply(new UnsortedSegmentSum(), values, indices, rows()).edge();
        return dense;
    }

    @Override
    public Graph graph() {
        return values.graph();
    }

    @Override
    public DType dtype() {
        return values.dtype();
    }

    @Override
    public Shape shape() {
        return dense != null ? super.shape() : Shape.UNKNOWN;
    }

    /** The number of rows of the dense value, as a scalar. */
    private Value rows() {
        if (denseShape.node().op() instanceof Const c) {
            Tensor n = Tensor.allocate(denseShape.dtype(), Shape.SCALAR);
            n.setLong(0, c.value().getLong(0));
            return ops().constant(n);
        }
        Ops ops = ops();
        return apply(new StridedSlice(0, 0, 0, 0, 1), denseShape, vector(ops, 0), vector(ops, 1), vector(ops, 1));
    }

    private static Value vector(Ops ops, int element) {
        return ops.constant(new int[] {element});
    }

    /** The same with each row once: rows that repeat are added up, in the order in which they come first. */
    public Slices summed() {
        List<Value> rows = applyAll(new Unique(DType.I32), indices);
        Value once =
                apply(new UnsortedSegmentSum(), values, rows.get(1), rows.get(0).runtimeSize());
        return new Slices(once, rows.get(0), denseShape);
    }

    /** All of them in one, in order. */
    public static Slices concat(List<Slices> all) {
        Slices first = all.get(0);
        if (all.size() == 1) return first;
        boolean wide = all.stream().anyMatch(s -> s.indices.dtype() == DType.I64);
        List<Value> values = new ArrayList<>(), indices = new ArrayList<>();
        for (Slices s : all) {
            values.add(s.values);
            indices.add(wide ? s.indices.cast(DType.I64) : s.indices);
        }
        return new Slices(concat(first.ops(), values), concat(first.ops(), indices), first.denseShape);
    }

    private static Value concat(Ops ops, List<Value> parts) {
        List<Value> inputs = new ArrayList<>(parts);
        inputs.add(ops.constant(DType.I32, 0));
        return apply(new ConcatV2(), inputs.toArray(Value[]::new));
    }

    @Override
    public String toString() {
        return "slices of " + values + " at " + indices;
    }

    /** The gradient of gathering rows from a value of this runtime shape (1-D, int32): row {@code indices[i]} gets {@code dy[i]}. */
    public static Slices ofRows(Value shape, Value indices, Value dy) {
        Ops ops = dy.ops();
        if (indices.shape().rank() == 1) return new Slices(dy, indices, shape);
        if (shape.node().op() instanceof Const c && indices.shape().isFullyKnown()) {
            long[] rows = new long[Counts.toInt(c.value().size())];
            rows[0] = indices.shape().size();
            for (int i = 1; i < rows.length; i++) rows[i] = c.value().getLong(i);
            return new Slices(dy.reshape(rows), indices.reshape(-1), shape);
        }
        Value row = apply(new Slice(), shape, vector(ops, 1), vector(ops, -1));
        Value count = indices.runtimeSize().reshape(1);
        return new Slices(dy.reshape(concat(ops, List.of(count, row))), indices.reshape(-1), shape);
    }
}
