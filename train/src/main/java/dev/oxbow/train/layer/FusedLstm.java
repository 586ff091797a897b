package dev.oxbow.train.layer;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.nn.BlockLSTMV2;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/**
 * Long short-term memory as one op over all of the time, in f32. Formula and names of parameters are those of
 * {@link Layers#lstm}, so a model can be trained with one of them and used with the other.
 */
public record FusedLstm(int units, boolean sequence, boolean backwards) implements OverTime {

    @Override
    public FusedLstm sequences() {
        return new FusedLstm(units, true, backwards);
    }

    @Override
    public FusedLstm reversed() {
        return new FusedLstm(units, sequence, !backwards);
    }

    @Override
    public Value apply(Build b, Value x) {
        require(x.dtype() == DType.F32, INVALID_ARGUMENT, "FusedLstm: works in f32, got %s", x);
        Ops ops = b.ops();
        Lstm cell = new Lstm(units);
        Value kernel = b.parameter(
                "input/kernel", Initialiser.glorotUniform(), x.shape().dim(2), cell.projected());
        Value bias = b.parameter("input/bias", cell.bias(), cell.projected());
        Value w = Value.concat(0, kernel, cell.weights(b).getFirst());
        Value steps = x.transpose(1, 0, 2);
        if (backwards) steps = steps.reverse(0);
        Value zeros = Shapes.zeros(x.dtype(), Shapes.size(x, 0), units);
        Value none = ops.constant(Tensor.zeros(x.dtype(), Shape.of(units)));
        long time = x.shape().dim(1);
        Value length = time < 0 ? Shapes.size(x, 1).cast(DType.I64) : ops.constant(Tensor.scalar(time));
        List<Value> out =
                Value.applyAll(new BlockLSTMV2(0, false), length, steps, zeros, zeros, w, none, none, none, bias);
        Value h = out.get(6);
        if (!sequence) return h.reverse(0).slice(0, 0, 1).squeeze(0);
        return (backwards ? h.reverse(0) : h).transpose(1, 0, 2);
    }

    @Override
    public String kind() {
        return "lstm";
    }
}
