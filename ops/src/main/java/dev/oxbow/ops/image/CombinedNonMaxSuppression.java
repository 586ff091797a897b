package dev.oxbow.ops.image;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The best boxes of all classes of each image, of those of a class that do not overlap. */
@Signature("CombinedNonMaxSuppression(boxes: float, scores: float, max_output_size_per_class: int32, max_total_size:"
        + " int32, iou_threshold: float, score_threshold: float) -> (nmsed_boxes: float, nmsed_scores: float,"
        + " nmsed_classes: float, valid_detections: int32) {pad_per_class: bool = false; clip_boxes: bool = true}")
public record CombinedNonMaxSuppression(boolean padPerClass, boolean clipBoxes) implements NotDifferentiable {

    private record Found(double score, int box, int kind) {}

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.rank(0, 4);
        c.rank(1, 3);
        for (int i = 2; i < 6; i++) c.scalar(i);
        c.sameDim(0, 0, 1, 0);
        c.sameDim(0, 1, 1, 1);
        c.dim(0, 3, 4);
        Shape boxes = c.shape(0), scores = c.shape(1);
        long images = boxes.isRankKnown() ? boxes.dim(0) : -1;
        if (boxes.isRankKnown() && scores.isRankKnown() && boxes.dim(2) > 1 && scores.dim(2) >= 0)
            require(
                    boxes.dim(2) == scores.dim(2),
                    INVALID_ARGUMENT,
                    "third dimension of boxes must be either 1 or equal to the third dimension of scores, got %d and"
                            + " %d",
                    boxes.dim(2),
                    scores.dim(2));
        long[] each = c.longs(2), all = c.longs(3);
        require(
                each == null || each[0] > 0,
                INVALID_ARGUMENT,
                "max_size_per_class must be positive, got %d",
                each == null ? 0 : each[0]);
        require(
                all == null || all[0] > 0,
                INVALID_ARGUMENT,
                "max_total_size must be > 0, got %d",
                all == null ? 0 : all[0]);
        long kinds = scores.isRankKnown() ? scores.dim(2) : -1;
        long n = all == null || padPerClass && (each == null || kinds < 0)
                ? -1
                : size(each == null ? 0 : each[0], all[0], kinds);
        return List.of(
                new TensorType(DType.F32, Shape.of(images, n, 4)),
                new TensorType(DType.F32, Shape.of(images, n)),
                new TensorType(DType.F32, Shape.of(images, n)),
                new TensorType(DType.I32, Shape.of(images)));
    }

    private long size(long each, long all, long kinds) {
        return padPerClass ? Math.min(all, each * kinds) : all;
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor boxes = c.input(0), scores = c.input(1);
            int each = (int) c.input(2).getLong(0),
                    n = Counts.toInt(c.output(1).shape().dim(1));
            double overlap = c.input(4).getDouble(0), least = c.input(5).getDouble(0);
            require(overlap >= 0 && overlap <= 1, INVALID_ARGUMENT, "iou_threshold must be in [0, 1], got %s", overlap);
            for (int i = 0; i < 4; i++)
                Memory.zero(c.output(i).address(), c.output(i).byteSize());
            long images = boxes.shape().dim(0),
                    count = boxes.shape().dim(1),
                    kinds = scores.shape().dim(2);
            for (long image = 0; image < images; image++) {
                List<Found> found = new ArrayList<>();
                for (int kind = 0; kind < kinds; kind++)
                    found.addAll(ofKind(boxes, scores, image, count, kind, each, overlap, least));
                found.sort(Comparator.comparingDouble(Found::score).reversed());
                int valid = Math.min(found.size(), n);
                for (int i = 0; i < valid; i++) {
                    Found f = found.get(i);
                    c.output(1).set(image * n + i, f.score);
                    c.output(2).set(image * n + i, f.kind);
                    for (int d = 0; d < 4; d++) {
                        double at = corner(boxes, image, f.box, f.kind, d);
                        c.output(0).set((image * n + i) * 4 + d, clipBoxes ? Math.max(Math.min(at, 1), 0) : at);
                    }
                }
                c.output(3).setLong(image, valid);
            }
        };
    }

    private static List<Found> ofKind(
            Tensor boxes, Tensor scores, long image, long count, int kind, int most, double overlap, double least) {
        long kinds = scores.shape().dim(2);
        List<Found> sorted = new ArrayList<>(), kept = new ArrayList<>();
        for (int b = 0; b < count; b++) {
            double score = scores.getDouble((image * count + b) * kinds + kind);
            if (score > least) sorted.add(new Found(score, b, kind));
        }
        sorted.sort(Comparator.comparingDouble(Found::score).reversed());
        for (Found f : sorted) {
            if (kept.size() == most) break;
            if (kept.stream().noneMatch(k -> overlap(boxes, image, f.box, k.box, kind) > (float) overlap)) kept.add(f);
        }
        return kept;
    }

    private static float corner(Tensor boxes, long image, long box, int kind, int d) {
        long kinds = boxes.shape().dim(2);
        return (float) boxes.getDouble(((image * boxes.shape().dim(1) + box) * kinds + (kinds == 1 ? 0 : kind)) * 4
                + d);
    }

    private static float overlap(Tensor boxes, long image, int i, int j, int kind) {
        float[] a = box(boxes, image, i, kind), b = box(boxes, image, j, kind);
        float areaA = (a[2] - a[0]) * (a[3] - a[1]), areaB = (b[2] - b[0]) * (b[3] - b[1]);
        if (areaA <= 0 || areaB <= 0) return 0;
        float height = Math.max(Math.min(a[2], b[2]) - Math.max(a[0], b[0]), 0),
                width = Math.max(Math.min(a[3], b[3]) - Math.max(a[1], b[1]), 0);
        float both = height * width;
        return both / (areaA + areaB - both);
    }

    /** The corners of a box, the smaller numbers first. */
    private static float[] box(Tensor boxes, long image, int i, int kind) {
        float[] c = new float[4];
        for (int d = 0; d < 4; d++) c[d] = corner(boxes, image, i, kind, d);
        return new float[] {Math.min(c[0], c[2]), Math.min(c[1], c[3]), Math.max(c[0], c[2]), Math.max(c[1], c[3])};
    }
}
