package dev.oxbow.natives;

import dev.oxbow.kernels.Parallel;
import java.util.stream.LongStream;

/** Runs every grain as its own task on the common pool, so that tests meet the finest cut. */
final class EachAlone implements Parallel {
    @Override
    public void run(long n, long grain, Range task) {
        long pieces = (n + grain - 1) / grain;
        LongStream.range(0, pieces).parallel().forEach(i -> task.run(i * grain, Math.min(n, (i + 1) * grain)));
    }
}
