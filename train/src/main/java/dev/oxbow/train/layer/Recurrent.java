package dev.oxbow.train.layer;

import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.array.BroadcastTo;
import dev.oxbow.ops.array.Pack;
import dev.oxbow.ops.array.StridedSlice;
import dev.oxbow.ops.flow.TensorListFromTensor;
import dev.oxbow.ops.flow.TensorListGetItem;
import dev.oxbow.ops.flow.TensorListReserve;
import dev.oxbow.ops.flow.TensorListSetItem;
import dev.oxbow.ops.flow.TensorListStack;
import dev.oxbow.tensor.DType;
import java.util.ArrayList;
import java.util.List;

/**
 * A cell that goes over [batch, time, channels] step by step, in a loop of the graph, and keeps states. The products of
 * all inputs are one product before the loop; the sequence of outputs, or the last of them, comes out.
 */
public record Recurrent(Cell cell, boolean sequence) implements Layer {

    /** What happens in one step of time. */
    public interface Cell {

        /** What it is called. */
        String kind();

        /** The size of each state; the first one is the output. */
        List<Integer> states();

        /** How many numbers it wants of each input. */
        int projected();

        /** What a step needs of the parameters, read once before the loop. */
        List<Value> weights(Build b);

        /** The next states; {@code z} is the projected input with its bias. */
        List<Value> next(Value z, List<Value> states, List<Value> weights);
    }

    /** Gives the outputs of all steps, [batch, time, units], instead of the last one. */
    public Recurrent sequences() {
        return new Recurrent(cell, true);
    }

    @Override
    public Value apply(Build b, Value x) {
        Ops ops = b.ops();
        long time = x.shape().dim(1);
        Value z = b.layer("input", Layers.dense(cell.projected()), x).transpose(1, 0, 2);
        Value batch = size(z, 1);
        Value element = packed(batch, cell.projected());
        Value inputs = Value.apply(new TensorListFromTensor(), z, element);
        List<Value> weights = cell.weights(b);
        Value limit = time < 0 ? size(z, 0) : ops.constant(DType.I32, time);
        List<Value> start = new ArrayList<>(List.of(ops.constant(DType.I32, 0)));
        Value zero = ops.constant(x.dtype(), 0);
        for (int n : cell.states()) start.add(Value.apply(new BroadcastTo(), zero, packed(batch, n)));
        Value outShape = packed(batch, cell.states().getFirst());
        if (sequence) start.add(Value.apply(new TensorListReserve(x.dtype()), outShape, limit));
        int states = cell.states().size();
        List<Value> end = ops.whileLoop(
                v -> v.getFirst().less(limit),
                v -> {
                    Value at = Value.apply(new TensorListGetItem(x.dtype()), inputs, v.getFirst(), element);
                    List<Value> next = new ArrayList<>(List.of(v.getFirst().plus(1)));
                    next.addAll(cell.next(at, v.subList(1, 1 + states), weights));
                    if (sequence)
                        next.add(Value.apply(
                                new TensorListSetItem(x.dtype(), false), v.getLast(), v.getFirst(), next.get(1)));
                    return next;
                },
                start);
        if (!sequence) return end.get(1).reshape(-1, cell.states().getFirst());
        Value all = Value.apply(new TensorListStack(x.dtype(), Math.toIntExact(time)), end.getLast(), outShape);
        return all.transpose(1, 0, 2).reshape(-1, time, cell.states().getFirst());
    }

    private static Value packed(Value batch, int n) {
        return Value.apply(new Pack(0), batch, batch.ops().constant(DType.I32, n));
    }

    private static Value size(Value x, int axis) {
        Ops ops = x.ops();
        return Value.apply(
                new StridedSlice(0, 0, 0, 0, 1),
                x.runtimeShape(),
                ops.constant(new int[] {axis}),
                ops.constant(new int[] {axis + 1}),
                ops.constant(new int[] {1}));
    }

    @Override
    public String kind() {
        return cell.kind();
    }
}
