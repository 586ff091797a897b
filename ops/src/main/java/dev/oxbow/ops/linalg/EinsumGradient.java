package dev.oxbow.ops.linalg;

import static dev.oxbow.ops.linalg.EinsumEquation.ELLIPSIS;

import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.array.BroadcastGradientArgs;
import dev.oxbow.ops.array.BroadcastTo;
import dev.oxbow.ops.array.ConcatV2;
import dev.oxbow.ops.array.GatherV2;
import dev.oxbow.ops.array.StridedSlice;
import dev.oxbow.ops.math.Sum;
import dev.oxbow.tensor.DType;
import java.util.Arrays;
import java.util.List;

/**
 * The gradient of a contraction is a contraction again: that of the output's gradient with the other operand. Labels
 * that only the operand itself has were summed over, so the gradient is the same along them.
 */
final class EinsumGradient {
    private EinsumGradient() {}

    static List<Value> of(GradientContext g, String equation, int operands) {
        String[] s = EinsumEquation.subscripts(equation, operands);
        Value dz = g.gradient(0);
        if (operands == 1) return List.of(toOperand(dz, null, g.input(0), s[0], "", s[1]));
        String xs = s[0], ys = s[1], zs = s[2];
        if (zs.contains(ELLIPSIS)) {
            if (!xs.contains(ELLIPSIS)) xs += ELLIPSIS;
            if (!ys.contains(ELLIPSIS)) ys += ELLIPSIS;
        }
        Value x = g.input(0), y = g.input(1);
        Value dx = toOperand(dz, y.conj(), x, xs, ys, zs), dy = toOperand(dz, x.conj(), y, ys, xs, zs);
        if (!zs.contains(ELLIPSIS)) return List.of(dx, dy);
        Value shapeX = x.runtimeShape(), shapeY = y.runtimeShape();
        List<Value> axes = Value.applyAll(new BroadcastGradientArgs(), openPart(shapeX, xs), openPart(shapeY, ys));
        return List.of(
                sumTo(dx, axes.get(0).plus(xs.indexOf(ELLIPSIS)), shapeX),
                sumTo(dy, axes.get(1).plus(ys.indexOf(ELLIPSIS)), shapeY));
    }

    private static Value sumTo(Value d, Value axes, Value shape) {
        return Value.apply(new Sum(false), d, axes).reshape(shape);
    }

    /** The dimensions that the ellipsis stands for. */
    private static Value openPart(Value shape, String subscripts) {
        int start = subscripts.indexOf(ELLIPSIS), after = subscripts.length() - start - ELLIPSIS.length();
        return Value.apply(
                new StridedSlice(0, after == 0 ? 1 : 0, 0, 0, 0),
                shape,
                shape.ops().constant(new int[] {start}),
                shape.ops().constant(new int[] {-after}),
                shape.ops().constant(new int[] {1}));
    }

    private static Value toOperand(Value dz, Value other, Value x, String xs, String others, String zs) {
        StringBuilder alone = new StringBuilder(), left = new StringBuilder();
        for (char l : xs.toCharArray()) {
            if (l == '.' || zs.indexOf(l) >= 0 || others.indexOf(l) >= 0) left.append(l);
            else if (alone.indexOf(String.valueOf(l)) < 0) alone.append(l);
        }
        Value d = dz;
        String ds = zs;
        if (other != null) {
            ds = left.toString();
            d = Value.apply(new Einsum(zs + "," + others + "->" + ds), dz, other);
        }
        if (alone.isEmpty()) return other != null ? d : Value.apply(new Einsum(ds + "->" + xs), d);
        int[] axes = new int[alone.length()], ones = new int[alone.length()];
        Arrays.fill(ones, 1);
        for (int i = 0; i < axes.length; i++) axes[i] = axis(xs, alone.charAt(i));
        Value rank = x.runtimeRank(), zero = x.ops().constant(DType.I32, 0);
        Value positions = x.ops().constant(axes);
        // Labels behind an ellipsis have negative positions, which count from the run-time rank.
        Value negative = positions.less(zero).cast(DType.I32).times(rank);
        Value sizes = Value.apply(new GatherV2(0), x.runtimeShape(), positions.plus(negative), zero);
        Value shape = d.runtimeShape();
        Value narrow = Value.apply(new ConcatV2(), x.ops().constant(ones), shape, zero);
        Value wide = Value.apply(new ConcatV2(), sizes, shape, zero);
        Value spread = Value.apply(new BroadcastTo(), d.reshape(narrow), wide);
        return Value.apply(new Einsum(alone + ds + "->" + xs), spread);
    }

    /** The first position of a label; negative when it is behind the ellipsis. */
    private static int axis(String subscripts, char label) {
        int at = subscripts.indexOf(label), dots = subscripts.indexOf(ELLIPSIS);
        return dots >= 0 && at > dots ? at - subscripts.length() : at;
    }
}
