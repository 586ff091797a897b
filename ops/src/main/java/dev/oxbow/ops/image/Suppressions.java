package dev.oxbow.ops.image;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.kernels.image.Suppression;
import dev.oxbow.kernels.image.Suppression.Chosen;
import dev.oxbow.kernels.image.Suppression.Similarity;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;

/** What the versions of non-maximum suppression share. */
final class Suppressions {
    private Suppressions() {}

    /** Checks boxes [n, columns], scores [n] and scalars after them. */
    static void check(InferenceContext c, long columns) {
        Shape boxes = Images.ranked(c, 0, 2), scores = Images.ranked(c, 1, 1);
        long n = boxes.dim(0), m = scores.dim(0), k = boxes.dim(1);
        require(
                n < 0 || m < 0 || n == m,
                INVALID_ARGUMENT,
                "scores has incompatible shape: %s for boxes of %s",
                scores,
                boxes);
        long wanted = columns < 0 ? n : columns;
        require(
                k < 0 || wanted < 0 || k == wanted,
                INVALID_ARGUMENT,
                "boxes must have %d columns, got %s",
                wanted,
                boxes);
        for (int i = 2; i < c.inputCount(); i++) Images.scalar(c, i);
    }

    static Chosen run(KernelContext c, Similarity similarity, double threshold, double scoreThreshold, double sigma) {
        long most = c.input(2).getLong(0);
        require(most >= 0, INVALID_ARGUMENT, "max_output_size must be non-negative, got %d", most);
        return Suppression.run(c.input(1), similarity, most, threshold, scoreThreshold, sigma);
    }

    static Similarity byBoxes(KernelContext c, double threshold) {
        require(
                threshold >= 0 && threshold <= 1,
                INVALID_ARGUMENT,
                "iou_threshold must be in [0, 1], got %s",
                threshold);
        return Suppression.intersectionOverUnion(c.input(0));
    }

    /** The chosen boxes as output 0, filled with zeros up to the most that may be chosen when {@code padded}. */
    static void store(KernelContext c, Chosen chosen, boolean padded) {
        Tensor y = c.allocate(0, Shape.of(size(c, chosen, padded)));
        Memory.zero(y.address(), y.byteSize());
        for (int i = 0; i < chosen.boxes().size(); i++)
            y.setLong(i, chosen.boxes().get(i));
    }

    static long size(KernelContext c, Chosen chosen, boolean padded) {
        return padded ? c.input(2).getLong(0) : chosen.boxes().size();
    }
}
