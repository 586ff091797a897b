package dev.oxbow.ops.nn;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.numeric.Window;
import dev.oxbow.tensor.Shape;
import java.util.List;

/** What greyscale dilation and its gradients share. */
record Dilations(List<Long> strides, List<Long> rates, String padding) {

    private SlidingWindow window() {
        return SlidingWindow.of(2, strides, rates, padding, List.of(), "NHWC");
    }

    List<TensorType> infer(InferenceContext c) {
        Shape x = window().images(c, 0), f = c.shape(1).isRankKnown() ? c.shape(1) : Shape.ofRank(3);
        require(f.rank() == 3, INVALID_ARGUMENT, "filter must be 3-dimensional: %s", f);
        require(f.dim(0) != 0 && f.dim(1) != 0, INVALID_ARGUMENT, "filter must not be empty: %s", f);
        long depth = x.dim(3), filterDepth = f.dim(2);
        require(
                depth < 0 || filterDepth < 0 || depth == filterDepth,
                INVALID_ARGUMENT,
                "input and filter must have the same depth: %d vs %d",
                depth,
                filterDepth);
        long[] kernel = {f.dim(0), f.dim(1)};
        return List.of(c.input(0).withShape(window().output(x, kernel, Math.max(depth, filterDepth))));
    }

    Window over(Shape x, Shape filter) {
        return window().over(x, new long[] {filter.dim(0), filter.dim(1)});
    }

    /** Checks that the gradient in input 2 fits input and filter. */
    void checkGradient(InferenceContext c) {
        c.shape(2, infer(c).getFirst().shape());
    }
}
