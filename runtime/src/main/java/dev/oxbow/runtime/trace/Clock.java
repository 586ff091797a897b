package dev.oxbow.runtime.trace;

import java.time.Instant;

/**
 * The time of this process: {@link System#nanoTime}, counted from 1970. It never jumps, and is wrong by what the system's clock was.
 *
 * {@snippet :
 * long begun = Clock.now();
 * }
 */
public final class Clock {
    private static final long OFFSET = offset();

    private Clock() {}

    private static long offset() {
        long best = Long.MAX_VALUE, offset = 0;
        for (int i = 0; i < 20; i++) {
            long before = System.nanoTime();
            Instant now = Instant.now();
            long after = System.nanoTime();
            if (after - before >= best) continue;
            best = after - before;
            offset = now.getEpochSecond() * 1_000_000_000 + now.getNano() - (before + best / 2);
        }
        return offset;
    }

    /** Nanoseconds since 1970. */
    public static long now() {
        return of(System.nanoTime());
    }

    /** Nanoseconds since 1970 of a time of {@link System#nanoTime}. */
    public static long of(long nanoTime) {
        return nanoTime + OFFSET;
    }
}
