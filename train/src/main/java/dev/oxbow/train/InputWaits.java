package dev.oxbow.train;

import dev.oxbow.data.pipeline.Batch;
import dev.oxbow.data.pipeline.Feed;
import dev.oxbow.data.pipeline.StageTime;
import java.time.Duration;
import java.util.List;

/**
 * How often and for how long an epoch waits for its input. A step waits when a batch was not there when it was asked for, or came
 * after more than a millisecond, which is what making it in the asking thread may take.
 */
final class InputWaits {
    private static final long AT_ONCE_IN_NANOS = 1_000_000;

    private long nanos;
    private long count;
    private boolean waited;

    /** The same batches, with a look at the clock. */
    Feed<Batch> timed(Feed<Batch> from) {
        return new Feed<>() {
            @Override
            public boolean hasNext() {
                boolean ready = from.isReady();
                long start = System.nanoTime();
                boolean more = from.hasNext();
                if (more) add(ready, System.nanoTime() - start);
                return more;
            }

            @Override
            public Batch next() {
                boolean ready = from.isReady();
                long start = System.nanoTime();
                Batch b = from.next();
                add(ready, System.nanoTime() - start);
                return b;
            }

            @Override
            public List<StageTime> stages() {
                return from.stages();
            }

            @Override
            public void close() {
                from.close();
            }
        };
    }

    private void add(boolean ready, long time) {
        nanos += time;
        waited |= !ready || time > AT_ONCE_IN_NANOS;
    }

    /** A step has its batches. */
    void step() {
        if (waited) count++;
        waited = false;
    }

    long count() {
        return count;
    }

    Duration time() {
        return Duration.ofNanos(nanos);
    }
}
