package dev.oxbow.cuda;

import java.util.ArrayDeque;

/** Events of one card that are kept for reuse. */
final class Events {
    private final ArrayDeque<Long> free = new ArrayDeque<>();

    /** An event that nobody uses; the context of its card must be entered. */
    synchronized long take() {
        Long e = free.poll();
        return e != null ? e : Driver.event(false);
    }

    synchronized void give(long event) {
        free.push(event);
    }
}
