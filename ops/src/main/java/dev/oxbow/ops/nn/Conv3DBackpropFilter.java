package dev.oxbow.ops.nn;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.numeric.Conv;
import java.util.List;

/** Gradient of {@code Conv3D} to its filter, which is given for its shape. */
@Signature(
        "Conv3DBackpropFilter(input: T, filter: T, out_backprop: T) -> (output: T) {T: type in [HALF FLOAT DOUBLE]; strides: list(int) >= 5; padding: string in [\"SAME\" \"VALID\"]; dilations: list(int) = list { i: 1 i: 1 i: 1 i: 1 i: 1 }}")
public record Conv3DBackpropFilter(List<Long> strides, String padding, List<Long> dilations) implements Op {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        return Convolutions.inferLike(c, window(), 1);
    }

    private SlidingWindow window() {
        return SlidingWindow.of(3, strides, dilations, padding, List.of(), "NDHWC");
    }

    @Override
    public Kernel cpu() {
        return Convolutions.filterGradient(window(), false, Conv::filterGradient);
    }
}
