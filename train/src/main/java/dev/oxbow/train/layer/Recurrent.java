package dev.oxbow.train.layer;

import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
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
public record Recurrent(Cell cell, boolean sequence, boolean backwards) implements OverTime {

    /*
     * The products are turned to time first, not the smaller inputs: rows of [batch, time] are still rows of the batch, which plans share
     * out, while those of [time, batch] are a mixture that nobody can split. A device then turns the smaller ones in its own part
     * (TurnSmaller).
     */

    /** What happens in one step of time. */
    public interface Cell {

        /** What it is called. */
        String kind();

        /** The size of each state; the first one is the output. */
        List<Integer> states();

        /** How many numbers it wants of each input. */
        int projected();

        /** What the bias of the projected input starts with. */
        default Initialiser bias() {
            return Initialiser.zeros();
        }

        /** What a step needs of the parameters, read once before the loop. */
        List<Value> weights(Build b);

        /** The next states; {@code z} is the projected input with its bias. */
        List<Value> next(Value z, List<Value> states, List<Value> weights);
    }

    @Override
    public Recurrent sequences() {
        return new Recurrent(cell, true, backwards);
    }

    @Override
    public Recurrent reversed() {
        return new Recurrent(cell, sequence, !backwards);
    }

    @Override
    public Value apply(Build b, Value x) {
        Ops ops = b.ops();
        long time = x.shape().dim(1);
        Dense input = Layers.dense(cell.projected()).biasStart(cell.bias());
        Value z = b.layer("input", input, x).transpose(1, 0, 2);
        if (backwards) z = z.reverse(0);
        Value batch = Shapes.size(z, 1);
        Value element = Shapes.packed(batch, cell.projected());
        Value inputs = Value.apply(new TensorListFromTensor(), z, element);
        List<Value> weights = cell.weights(b);
        Value limit = time < 0 ? Shapes.size(z, 0) : ops.constant(DType.I32, time);
        List<Value> start = new ArrayList<>(List.of(ops.constant(DType.I32, 0)));
        for (int n : cell.states()) start.add(Shapes.zeros(x.dtype(), batch, n));
        Value outShape = Shapes.packed(batch, cell.states().getFirst());
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
        if (!sequence) return Shapes.rows(end.get(1), cell.states().getFirst());
        Value all = Value.apply(new TensorListStack(x.dtype(), Math.toIntExact(time)), end.getLast(), outShape);
        if (backwards) all = all.reverse(0);
        return all.transpose(1, 0, 2).reshape(-1, time, cell.states().getFirst());
    }

    @Override
    public String kind() {
        return cell.kind();
    }
}
