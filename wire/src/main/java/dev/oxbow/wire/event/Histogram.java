package dev.oxbow.wire.event;

import dev.oxbow.wire.proto.HistogramProto;
import java.util.Arrays;

/** How values are spread over TensorFlow's buckets, whose limits grow by a tenth from 1e-12 to 1e20 on both sides of zero. */
final class Histogram {
    private static final double[] LIMITS = limits();

    private final double[] counts = new double[LIMITS.length];
    private double min = Double.MAX_VALUE;
    private double max = -Double.MAX_VALUE;
    private double number;
    private double sum;
    private double squares;

    private static double[] limits() {
        double[] positive = new double[1000];
        int n = 0;
        for (double v = 1e-12; v < 1e20; v *= 1.1) positive[n++] = v;
        positive[n++] = Double.MAX_VALUE;
        double[] all = new double[2 * n + 1];
        for (int i = 0; i < n; i++) {
            all[n - 1 - i] = -positive[i];
            all[n + 1 + i] = positive[i];
        }
        return all;
    }

    void add(double value) {
        int at = Arrays.binarySearch(LIMITS, value == 0 ? 0.0 : value); // a limit begins the bucket behind it
        counts[Math.min(at >= 0 ? at + 1 : -at - 1, LIMITS.length - 1)]++;
        min = Math.min(min, value);
        max = Math.max(max, value);
        number++;
        sum += value;
        squares += value * value;
    }

    /** As a message; of buckets without values that follow each other only the last one is there. */
    HistogramProto message() {
        HistogramProto.Builder h = HistogramProto.newBuilder()
                .setMin(min)
                .setMax(max)
                .setNum(number)
                .setSum(sum)
                .setSumSquares(squares);
        for (int i = 0; i < counts.length; i++) {
            if (counts[i] == 0 && i + 1 < counts.length && counts[i + 1] == 0) continue;
            h.addBucketLimit(LIMITS[i]).addBucket(counts[i]);
        }
        return h.build();
    }
}
