package dev.oxbow.kernels.image;

import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Greedy choice of boxes by score: a box that overlaps a chosen one too much is dropped, or, with a sigma, its score
 * decays and it is looked at again.
 */
public final class Suppression {
    private Suppression() {}

    /** How much two boxes overlap. */
    public interface Similarity {
        double of(int i, int j);
    }

    /** The chosen boxes, best first, with the scores they had when they were chosen. */
    public record Chosen(List<Integer> boxes, List<Float> scores) {}

    private static final class Candidate {
        final int box;
        double score;
        int compared;

        Candidate(int box, double score) {
            this.box = box;
            this.score = score;
        }
    }

    /** Intersection over union of boxes [n, 4], given by any two opposite corners each. */
    public static Similarity intersectionOverUnion(Tensor boxes) {
        return (i, j) -> {
            double[] a = corners(boxes, i), b = corners(boxes, j);
            double areaA = (a[2] - a[0]) * (a[3] - a[1]), areaB = (b[2] - b[0]) * (b[3] - b[1]);
            if (areaA <= 0 || areaB <= 0) return 0;
            double h = Math.max(0, Math.min(a[2], b[2]) - Math.max(a[0], b[0]));
            double w = Math.max(0, Math.min(a[3], b[3]) - Math.max(a[1], b[1]));
            return (float) (h * w / (areaA + areaB - h * w));
        };
    }

    private static double[] corners(Tensor boxes, int i) {
        double y1 = boxes.getDouble(4L * i), x1 = boxes.getDouble(4L * i + 1);
        double y2 = boxes.getDouble(4L * i + 2), x2 = boxes.getDouble(4L * i + 3);
        return new double[] {Math.min(y1, y2), Math.min(x1, x2), Math.max(y1, y2), Math.max(x1, x2)};
    }

    public static Chosen run(
            Tensor scores, Similarity similarity, long most, double threshold, double scoreThreshold, double sigma) {
        PriorityQueue<Candidate> queue = new PriorityQueue<>(
                (a, b) -> a.score != b.score ? Double.compare(b.score, a.score) : Integer.compare(a.box, b.box));
        for (int i = 0; i < scores.size(); i++)
            if (scores.getDouble(i) > scoreThreshold) queue.add(new Candidate(i, scores.getDouble(i)));
        Chosen chosen = new Chosen(new ArrayList<>(), new ArrayList<>());
        while (chosen.boxes.size() < most && !queue.isEmpty()) {
            Candidate next = queue.poll();
            double before = next.score;
            boolean dropped = false;
            for (int j = chosen.boxes.size() - 1; j >= next.compared; j--) {
                double s = similarity.of(next.box, chosen.boxes.get(j));
                if (sigma <= 0 && s > threshold) {
                    dropped = true;
                    break;
                }
                if (sigma > 0) next.score *= s <= threshold ? Math.exp(-0.5 / sigma * s * s) : 0;
                if (next.score <= scoreThreshold) break;
            }
            next.compared = chosen.boxes.size();
            if (dropped) continue;
            if (next.score == before) {
                chosen.boxes.add(next.box);
                chosen.scores.add((float) next.score);
            } else if (next.score > scoreThreshold) {
                queue.add(next);
            }
        }
        return chosen;
    }
}
