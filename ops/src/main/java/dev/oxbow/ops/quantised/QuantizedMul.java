package dev.oxbow.ops.quantised;

import dev.oxbow.graph.Attr;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.tensor.DType;
import java.util.List;

/** Products of levels, each counted from the one that stands for zero. */
@Signature(
        "QuantizedMul(x: T1, y: T2, min_x: float, max_x: float, min_y: float, max_y: float) -> (z: Toutput, min_z: float, max_z: float) {T1: type in [QUANTISED]; T2: type in [QUANTISED]; Toutput: type in [QUANTISED] = QINT32}")
public record QuantizedMul(@Attr("Toutput") DType outType) implements Ranged {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return Pairs.infer(c);
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Levels[] l = Pairs.levels(c);
            long zeroX = l[0].zero(), zeroY = l[1].zero();
            Pairs.run(c, (x, y) -> (x - zeroX) * (y - zeroY));
            Ranged.give(c, Levels.ofProducts(l[0], l[1], outType));
        };
    }
}
