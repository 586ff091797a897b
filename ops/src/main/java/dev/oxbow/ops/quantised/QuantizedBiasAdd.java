package dev.oxbow.ops.quantised;

import dev.oxbow.graph.Attr;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** Levels plus a bias for each channel, as levels with room for many such sums. */
@Signature(
        "QuantizedBiasAdd(input: T1, bias: T2, min_input: float, max_input: float, min_bias: float, max_bias: float) -> (output: out_type, min_out: float, max_out: float) {T1: type in [QUANTISED]; T2: type in [QUANTISED]; out_type: type in [QUANTISED]}")
public record QuantizedBiasAdd(@Attr("out_type") DType outType) implements Ranged {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        Ranged.limits(c, 2, 6);
        c.rankAtLeast(0, 1);
        c.vector(1, c.shape(0).dim(-1));
        return Ranged.types(c, c.shape(0));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor x = c.input(0), bias = c.input(1), y = c.output(0);
            Levels of = Levels.of(x, c, 2),
                    ofBias = Levels.of(bias, c, 4),
                    sums = Levels.ofSums(of, ofBias, outType, 17);
            for (long i = 0; i < y.size(); i++)
                y.setLong(
                        i,
                        sums.quantise(of.number(x.getLong(i)))
                                + sums.quantise(ofBias.number(bias.getLong(i % bias.size()))));
            Ranged.give(c, sums);
        };
    }
}
