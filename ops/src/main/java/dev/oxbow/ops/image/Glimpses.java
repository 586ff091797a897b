package dev.oxbow.ops.image;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.TensorType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;
import java.util.SplittableRandom;

/** Windows cut out of images around a point each; what lies outside is noise. */
record Glimpses(boolean version2, boolean centered, boolean normalized, boolean uniformNoise, String noise) {

    List<TensorType> infer(InferenceContext c) {
        Shape x = Images.images(c, 0), offsets = Images.ranked(c, 2, 2);
        c.vector(1, 2);
        Shape size = c.shapeValue(1).isRankKnown() ? c.shapeValue(1) : Shape.ofRank(2);
        require(
                x.dim(0) < 0 || offsets.dim(0) < 0 || x.dim(0) == offsets.dim(0),
                INVALID_ARGUMENT,
                "offsets should have one row per image, got %s for %s",
                offsets,
                x);
        require(
                offsets.dim(1) < 0 || offsets.dim(1) == 2,
                INVALID_ARGUMENT,
                "offsets must have 2 columns, got %s",
                offsets);
        return List.of(c.input(0).withShape(Shape.of(x.dim(0), size.dim(0), size.dim(1), x.dim(3))));
    }

    void run(Tensor x, Tensor offsets, Tensor y) {
        long images = x.shape().dim(0),
                h = x.shape().dim(1),
                w = x.shape().dim(2),
                c = x.shape().dim(3);
        long outH = y.shape().dim(1), outW = y.shape().dim(2);
        if (y.size() == 0) return;
        SplittableRandom random = new SplittableRandom(0);
        for (long b = 0; b < images; b++) {
            long top = start((float) offsets.getDouble(2 * b), h, outH),
                    left = start((float) offsets.getDouble(2 * b + 1), w, outW);
            for (long i = 0; i < outH; i++) {
                for (long j = 0; j < outW; j++) {
                    long row = top + i, column = left + j, o = ((b * outH + i) * outW + j) * c;
                    if (row >= 0 && row < h && column >= 0 && column < w)
                        Memory.copy(x.address() + 4 * ((b * h + row) * w + column) * c, y.address() + 4 * o, 4 * c);
                    else for (long k = 0; k < c; k++) y.set(o + k, noise(random));
                }
            }
        }
    }

    /** The first row or column of a window around an offset. */
    private long start(float offset, long size, long window) {
        float at = normalized ? offset * size : offset;
        // In version 2 an offset is the window's corner, unless it is both centered and normalized.
        if (version2 && !(centered && normalized)) return (long) (centered ? at + size / 2f : at);
        if (centered) at = at / 2 + size / 2f;
        return (long) (at - window / 2f);
    }

    private double noise(SplittableRandom random) {
        if (uniformNoise || noise.equals("uniform")) return random.nextDouble();
        return noise.equals("gaussian") ? random.nextGaussian() : 0;
    }
}
