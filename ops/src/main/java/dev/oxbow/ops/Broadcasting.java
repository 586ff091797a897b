package dev.oxbow.ops;

import dev.oxbow.ops.array.BroadcastGradientArgs;
import dev.oxbow.ops.array.Reshape;
import dev.oxbow.ops.array.Shape;
import dev.oxbow.ops.math.Sum;
import dev.oxbow.tensor.DType;
import java.util.Arrays;
import java.util.List;

/** What gradients of broadcasting ops share: summing over the dimensions that an input was broadcast along. */
public final class Broadcasting {
    private Broadcasting() {}

    /** The gradients of both inputs of a broadcasting op, from gradients in the shape of the output; null stays null. */
    public static List<Value> reduce(Value x, Value y, Value dx, Value dy) {
        if (x.shape().isFullyKnown() && x.shape().equals(y.shape())) return Arrays.asList(dx, dy);
        Value shapeX = Value.apply(new Shape(DType.I32), x), shapeY = Value.apply(new Shape(DType.I32), y);
        List<Value> axes = Value.applyAll(new BroadcastGradientArgs(), shapeX, shapeY);
        return Arrays.asList(sumTo(dx, axes.get(0), shapeX), sumTo(dy, axes.get(1), shapeY));
    }

    private static Value sumTo(Value d, Value axes, Value shape) {
        return d == null ? null : Value.apply(new Reshape(), Value.apply(new Sum(false), d, axes), shape);
    }
}
