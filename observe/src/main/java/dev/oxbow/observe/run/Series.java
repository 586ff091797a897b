package dev.oxbow.observe.run;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A curve in bounded memory: points in the order of the file, in buckets of one size that doubles whenever there are {@link #MOST}
 * of them. A bucket keeps least, largest and mean value, so that no peak is lost, and where in the files it begins.
 */
public final class Series {
    public static final int MOST = 1024;

    private int size;
    private long each = 1;
    private long[] steps = new long[16];
    private double[] seconds = new double[16];
    private double[] least = new double[16];
    private double[] largest = new double[16];
    private double[] sums = new double[16];
    private long[] counts = new long[16];
    private int[] files = new int[16];
    private long[] offsets = new long[16];
    private long points;
    private double last = Double.NaN;
    private long lastStep = -1;

    /** Some points that follow each other; {@code step} and {@code seconds} are those of the first. */
    public record Point(long step, double seconds, double mean, double least, double largest) {}

    void add(long step, double time, double value, int file, long offset) {
        points++;
        last = value;
        lastStep = step;
        if (size > 0 && counts[size - 1] < each) {
            int i = size - 1;
            if (Double.isFinite(value)) {
                least[i] = Math.min(least[i], value);
                largest[i] = Math.max(largest[i], value);
                sums[i] += value;
            }
            counts[i]++;
            return;
        }
        if (size == MOST) halve();
        if (size == steps.length) grow(Math.min(MOST, 2 * size));
        if (size > 0 && counts[size - 1] < each) { // halving left a bucket with room
            points--;
            add(step, time, value, file, offset);
            return;
        }
        set(size++, step, time, value, file, offset);
    }

    private void set(int i, long step, double time, double value, int file, long offset) {
        steps[i] = step;
        seconds[i] = time;
        boolean finite = Double.isFinite(value);
        least[i] = finite ? value : Double.POSITIVE_INFINITY;
        largest[i] = finite ? value : Double.NEGATIVE_INFINITY;
        sums[i] = finite ? value : 0;
        counts[i] = 1;
        files[i] = file;
        offsets[i] = offset;
    }

    private void halve() {
        for (int i = 0; i < size / 2; i++) {
            int a = 2 * i, b = a + 1;
            steps[i] = steps[a];
            seconds[i] = seconds[a];
            least[i] = Math.min(least[a], least[b]);
            largest[i] = Math.max(largest[a], largest[b]);
            sums[i] = sums[a] + sums[b];
            counts[i] = counts[a] + counts[b];
            files[i] = files[a];
            offsets[i] = offsets[a];
        }
        size /= 2;
        each *= 2;
    }

    private void grow(int to) {
        steps = Arrays.copyOf(steps, to);
        seconds = Arrays.copyOf(seconds, to);
        least = Arrays.copyOf(least, to);
        largest = Arrays.copyOf(largest, to);
        sums = Arrays.copyOf(sums, to);
        counts = Arrays.copyOf(counts, to);
        files = Arrays.copyOf(files, to);
        offsets = Arrays.copyOf(offsets, to);
    }

    /** How many points it was made of. */
    public long points() {
        return points;
    }

    public double last() {
        return last;
    }

    public long lastStep() {
        return lastStep;
    }

    /** How many points a bucket stands for. */
    long each() {
        return each;
    }

    /** The mean over the newest points, about so many. */
    public double recent(int wanted) {
        double sum = 0;
        long count = 0;
        for (int i = size - 1; i >= 0 && count < wanted; i--) {
            sum += sums[i];
            count += counts[i];
        }
        return count == 0 ? Double.NaN : sum / count;
    }

    /** The buckets whose steps may lie in a range, at most {@code wanted} of them; neighbours are joined. */
    public List<Point> range(long from, long to, int wanted) {
        int first = first(from);
        if (each == 1) while (first < size && steps[first] < from) first++;
        int end = first;
        while (end < size && steps[end] <= to) end++;
        int n = end - first, join = Math.max(1, Math.ceilDiv(n, Math.max(1, wanted)));
        List<Point> out = new ArrayList<>();
        for (int i = first; i < end; i += join) {
            double low = Double.POSITIVE_INFINITY, high = Double.NEGATIVE_INFINITY, sum = 0;
            long count = 0;
            for (int j = i; j < Math.min(end, i + join); j++) {
                low = Math.min(low, least[j]);
                high = Math.max(high, largest[j]);
                sum += sums[j];
                count += counts[j];
            }
            boolean none = low > high; // of numbers that are finite
            out.add(new Point(
                    steps[i],
                    seconds[i],
                    none ? Double.NaN : sum / count,
                    none ? Double.NaN : low,
                    none ? Double.NaN : high));
        }
        return out;
    }

    /** The bucket that a step may lie in. */
    private int first(long step) {
        int i = 0;
        while (i + 1 < size && steps[i + 1] <= step) i++;
        return i;
    }

    /** Where in the files the points of a step may begin: the number of the file and the offset. */
    long[] place(long step) {
        int i = first(step);
        return size == 0 ? new long[] {0, 0} : new long[] {files[i], offsets[i]};
    }

    void write(DataOutput out) throws IOException {
        out.writeInt(size);
        out.writeLong(each);
        out.writeLong(points);
        out.writeDouble(last);
        out.writeLong(lastStep);
        for (int i = 0; i < size; i++) {
            out.writeLong(steps[i]);
            out.writeDouble(seconds[i]);
            out.writeDouble(least[i]);
            out.writeDouble(largest[i]);
            out.writeDouble(sums[i]);
            out.writeLong(counts[i]);
            out.writeInt(files[i]);
            out.writeLong(offsets[i]);
        }
    }

    static Series read(DataInput in) throws IOException {
        Series s = new Series();
        int n = in.readInt();
        if (n < 0 || n > MOST) throw new IOException("a series of " + n + " buckets");
        s.grow(Math.max(16, n));
        s.size = n;
        s.each = in.readLong();
        s.points = in.readLong();
        s.last = in.readDouble();
        s.lastStep = in.readLong();
        for (int i = 0; i < n; i++) {
            s.steps[i] = in.readLong();
            s.seconds[i] = in.readDouble();
            s.least[i] = in.readDouble();
            s.largest[i] = in.readDouble();
            s.sums[i] = in.readDouble();
            s.counts[i] = in.readLong();
            s.files[i] = in.readInt();
            s.offsets[i] = in.readLong();
        }
        return s;
    }
}
