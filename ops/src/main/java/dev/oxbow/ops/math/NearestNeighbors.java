package dev.oxbow.ops.math;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/** The k centres nearest to each point, and their squared distances, in ascending order. */
@Signature(
        "NearestNeighbors(points: float, centers: float, k: int64) -> (nearest_center_indices: int64, nearest_center_distances: float)")
public record NearestNeighbors() implements NotDifferentiable {

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.rank(0, 2);
        c.rank(1, 2);
        c.scalar(2);
        Shape points = c.shape(0), centers = c.shape(1);
        if (points.isRankKnown() && centers.isRankKnown()) c.dim(1, 1, points.dim(1));
        long[] k = c.longs(2);
        require(k == null || k[0] >= 0, INVALID_ARGUMENT, "Expected k >= 0, got %d", k == null ? 0 : k[0]);
        long n = k == null || !centers.isRankKnown() || centers.dim(0) < 0 ? -1 : Math.min(k[0], centers.dim(0));
        Shape s = Shape.of(points.isRankKnown() ? points.dim(0) : -1, n);
        return List.of(new TensorType(DType.I64, s), new TensorType(DType.F32, s));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor points = c.input(0), centers = c.input(1), indices = c.output(0), distances = c.output(1);
            int k = Counts.toInt(indices.shape().dim(1)),
                    n = Counts.toInt(centers.shape().dim(0));
            long width = points.shape().dim(1), rows = points.shape().dim(0);
            if (k == 0) return;
            c.parallel().run(rows, Math.max(1, 100_000 / Math.max(1, n * width)), (from, to) -> {
                double[] best = new double[k];
                int[] which = new int[k];
                for (long p = from; p < to; p++) {
                    int found = 0;
                    for (int j = 0; j < n; j++) {
                        double d = squared(points, p * width, centers, j * width, width);
                        if (found == k && !(d < best[k - 1])) continue;
                        int at = found < k ? found++ : k - 1;
                        for (; at > 0 && d < best[at - 1]; at--) {
                            best[at] = best[at - 1];
                            which[at] = which[at - 1];
                        }
                        best[at] = d;
                        which[at] = j;
                    }
                    for (int i = 0; i < k; i++) {
                        indices.setLong(p * k + i, which[i]);
                        distances.set(p * k + i, best[i]);
                    }
                }
            });
        };
    }

    private static double squared(Tensor a, long i, Tensor b, long j, long n) {
        double sum = 0;
        for (long d = 0; d < n; d++) {
            double x = a.getDouble(i + d) - b.getDouble(j + d);
            sum += x * x;
        }
        return sum;
    }
}
