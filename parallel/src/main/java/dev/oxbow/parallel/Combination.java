package dev.oxbow.parallel;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.core.Const;
import dev.oxbow.ops.array.ConcatV2;
import dev.oxbow.ops.math.AddN;
import dev.oxbow.ops.math.LogicalAnd;
import dev.oxbow.ops.math.LogicalOr;
import dev.oxbow.ops.math.Maximum;
import dev.oxbow.ops.math.Minimum;
import dev.oxbow.ops.math.Mul;
import dev.oxbow.ops.math.RealDiv;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/** Makes one value of several that make it up by a reduction. */
final class Combination {
    private Combination() {}

    /** Adds a node, named after what it is for; one without inputs belongs to {@code beside}. */
    @FunctionalInterface
    interface Adder {
        Edge add(String suffix, Op op, List<Edge> inputs, Edge beside);
    }

    static Edge of(String reduction, List<Edge> pieces, Adder to) {
        if (pieces.size() == 1) return pieces.getFirst();
        if (reduction.equals("sum")) return to.add("/sum", new AddN(), pieces, null);
        if (reduction.equals("mean")) {
            Edge sum = to.add("/sum", new AddN(), pieces, null);
            Edge by = to.add("/count", real(sum.type().dtype(), pieces.size()), List.of(), sum);
            return to.add("/mean", new RealDiv(), List.of(sum, by), null);
        }
        Edge all = pieces.getFirst();
        for (Edge p : pieces.subList(1, pieces.size()))
            all = to.add("/" + reduction, op(reduction), List.of(all, p), null);
        return all;
    }

    private static Op op(String reduction) {
        return switch (reduction) {
            case "max" -> new Maximum();
            case "min" -> new Minimum();
            case "product" -> new Mul();
            case "and" -> new LogicalAnd();
            default -> new LogicalOr();
        };
    }

    /** One number. */
    static Const real(DType dtype, double value) {
        Tensor t = Tensor.allocate(dtype, Shape.SCALAR);
        t.set(0, value);
        return new Const(t);
    }

    /** One whole number. */
    static Const whole(DType dtype, long value) {
        Tensor t = Tensor.allocate(dtype, Shape.SCALAR);
        t.setLong(0, value);
        return new Const(t);
    }

    /** Pieces along an axis, one after the other. */
    static Edge joined(int axis, List<Edge> pieces, Adder to) {
        if (pieces.size() == 1) return pieces.getFirst();
        List<Edge> inputs = new ArrayList<>(pieces);
        inputs.add(to.add("/axis", whole(DType.I32, axis), List.of(), pieces.getFirst()));
        return to.add("/joined", new ConcatV2(), inputs, null);
    }
}
