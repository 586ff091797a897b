package dev.oxbow.ops.random;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.random.Philox;
import dev.oxbow.kernels.random.Samples;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.Arrays;
import java.util.List;

/** Points to begin k-means with, each drawn in proportion to its squared distance from those before it (k-means++). */
@Signature(
        "KmeansPlusPlusInitialization(points: float, num_to_sample: int64, seed: int64, num_retries_per_sample: int64) -> (samples: float)")
public record KmeansPlusPlusInitialization() implements NotDifferentiable {
    private static final int MOST_RETRIES = 1 << 16;
    private static final int MOST_DRAWS = 1000;

    @Override
    public List<TensorType> infer(InferenceContext c) {
        c.rank(0, 2);
        for (int i = 1; i < 4; i++) c.scalar(i);
        long[] n = c.longs(1);
        require(n == null || n[0] > 0, INVALID_ARGUMENT, "Expected num_to_sample > 0, got %d", n == null ? 0 : n[0]);
        long points = c.shape(0).isRankKnown() ? c.shape(0).dim(0) : -1;
        require(
                n == null || points < 0 || n[0] <= points,
                INVALID_ARGUMENT,
                "Expected num_to_sample <= points.rows(). %d vs %d.",
                n == null ? 0 : n[0],
                points);
        return List.of(new TensorType(
                DType.F32,
                Shape.of(
                        n == null ? -1 : n[0],
                        c.shape(0).isRankKnown() ? c.shape(0).dim(1) : -1)));
    }

    @Override
    public Kernel cpu() {
        return c -> {
            Tensor points = c.input(0), y = c.output(0);
            long wanted = y.shape().dim(0), given = c.input(3).getLong(0);
            long retries = given >= 0 ? given : 2 + (long) Math.log(wanted);
            require(
                    retries < MOST_RETRIES,
                    INVALID_ARGUMENT,
                    "num_retries_per_sample must be below %,d, got %,d",
                    MOST_RETRIES,
                    retries);
            new Drawing(points, new Samples(Philox.ofKey(c.input(2).getLong(0), 0, 0))).fill(y, retries);
        };
    }

    private static final class Drawing {
        private final Tensor points;
        private final Samples random;
        private final int count;
        private final int width;
        private final boolean[] taken;
        private final float[] sums;
        private float[] nearest;

        Drawing(Tensor points, Samples random) {
            this.points = points;
            this.random = random;
            this.count = Counts.toInt(points.shape().dim(0));
            this.width = Counts.toInt(points.shape().dim(1));
            this.taken = Counts.array(count, boolean[]::new);
            this.sums = Counts.array(count, float[]::new);
            this.nearest = Counts.array(count, float[]::new);
            Arrays.fill(nearest, Float.POSITIVE_INFINITY);
        }

        void fill(Tensor y, long retries) {
            for (long i = 0; i < y.shape().dim(0); i++) {
                if (i > 0) {
                    float sum = 0;
                    for (int k = 0; k < count; k++) sums[k] = sum += nearest[k];
                }
                int best = -1;
                float least = Float.POSITIVE_INFINITY;
                float[] then = null;
                for (long tries = 0; tries <= retries; tries++) {
                    int point = draw(i == 0);
                    float[] distances = with(point);
                    float sum = 0;
                    for (float d : distances) sum += d;
                    if (best >= 0 && !(sum < least)) continue;
                    best = point;
                    least = sum;
                    then = distances;
                }
                nearest = then;
                taken[best] = true;
                long bytes = 4L * width;
                Memory.copy(points.address() + best * bytes, y.address() + i * bytes, bytes);
            }
        }

        private int draw(boolean first) {
            if (first) return (int) random.uniform((long) count);
            float total = sums[count - 1];
            for (int i = 0; i < MOST_DRAWS; i++) {
                int point = total > 0
                        ? Math.min(count - 1, above(random.nextFloat() * total))
                        : (int) random.uniform((long) count);
                if (!taken[point]) return point;
            }
            int free = 0; // distances that are not finite name the same points again and again
            while (taken[free]) free++;
            return free;
        }

        /** The first point up to which distances sum up to more than {@code x}. */
        private int above(float x) {
            int low = 0, high = count;
            while (low < high) {
                int middle = (low + high) >>> 1;
                if (sums[middle] > x) high = middle;
                else low = middle + 1;
            }
            return low;
        }

        /** Half of the squared distances from the nearest of the points so far and this one. */
        private float[] with(int point) {
            float[] all = nearest.clone();
            for (int k = 0; k < count; k++) {
                double sum = 0;
                for (int d = 0; d < width; d++) {
                    double x = points.getDouble((long) k * width + d) - points.getDouble((long) point * width + d);
                    sum += x * x;
                }
                all[k] = Math.min(all[k], (float) (sum / 2));
            }
            return all;
        }
    }
}
