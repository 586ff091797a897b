package dev.oxbow.ops.quantised;

import dev.oxbow.graph.Attr;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Signature;
import dev.oxbow.tensor.DType;

/** Levels, but none below the one that stands for zero nor above that of a given number. */
@Signature(
        "QuantizedReluX(features: Tinput, max_value: float, min_features: float, max_features: float) -> (activations: out_type, min_activations: float, max_activations: float) {Tinput: type in [QUANTISED]; out_type: type in [QUANTISED] = QUINT8}")
public record QuantizedReluX(@Attr("out_type") DType outType) implements Clipping {

    @Override
    public int limits() {
        return 2;
    }

    @Override
    public long most(KernelContext c, Levels levels) {
        return levels.quantise(Levels.limit(c, 1));
    }
}
