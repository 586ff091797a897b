package dev.oxbow.ops.quantised;

import dev.oxbow.graph.Attr;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.tensor.DType;
import java.util.List;
import java.util.function.LongUnaryOperator;

/** Sums of numbers that levels stand for, as levels with room for many such sums. */
@Signature(
        "QuantizedAdd(x: T1, y: T2, min_x: float, max_x: float, min_y: float, max_y: float) -> (z: Toutput, min_z: float, max_z: float) {T1: type in [QUANTISED]; T2: type in [QUANTISED]; Toutput: type in [QUANTISED] = QINT32}")
public record QuantizedAdd(@Attr("Toutput") DType outType) implements Ranged {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return Pairs.infer(c);
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Levels[] l = Pairs.levels(c);
            Levels sums = Levels.ofSums(l[0], l[1], outType, 14);
            boolean oneX = c.input(0).size() == 1, oneY = !oneX && c.input(1).size() == 1;
            LongUnaryOperator x = turned(l[0], sums, oneX), y = turned(l[1], sums, oneY);
            Pairs.run(c, (a, b) -> x.applyAsLong(a) + y.applyAsLong(b));
            Ranged.give(c, sums);
        };
    }

    /** From levels to levels of sums: of one element the nearest, of many by equal steps. */
    private LongUnaryOperator turned(Levels from, Levels sums, boolean one) {
        if (one) return level -> sums.quantise(from.number(level));
        long first = sums.near(from.number(0)), step = (int) (sums.near(from.number(1)) - first);
        long least = Levels.least(outType), most = Levels.most(outType);
        return level -> Math.clamp(first + level * step, least, most);
    }
}
