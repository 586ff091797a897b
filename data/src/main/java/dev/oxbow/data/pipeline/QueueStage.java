package dev.oxbow.data.pipeline;

import static dev.oxbow.tensor.ErrorCode.CANCELLED;
import static dev.oxbow.tensor.ErrorCode.DEADLINE_EXCEEDED;
import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;

import dev.oxbow.tensor.OxbowException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/** What others put into a queue, up to an empty entry. It has no order of its own, so no position in it can be had again. */
record QueueStage<T>(BlockingQueue<Optional<T>> queue, Duration longest) implements Stage<T> {

    @Override
    public Cursor<T> open(Setting setting) {
        return new Cursor<>() {
            private boolean ended;

            @Override
            public Lazy<T> next() {
                if (ended) return null;
                try {
                    Optional<T> next = queue.poll(TimeUnit.NANOSECONDS.convert(longest), TimeUnit.NANOSECONDS);
                    if (next == null)
                        throw new OxbowException(
                                DEADLINE_EXCEEDED, "queue: nobody put an element into it for " + longest);
                    ended = next.isEmpty();
                    return setting.own(next.<Lazy<T>>map(Lazy::of).orElse(null));
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw new OxbowException(CANCELLED, "queue: interrupted while waiting for an element", e);
                }
            }

            @Override
            public long skip(long n) {
                if (n == 0) return 0;
                throw new OxbowException(
                        FAILED_PRECONDITION,
                        "queue: can not go on after %d elements: what others put into it does not come again"
                                .formatted(n));
            }
        };
    }

    @Override
    public String describe() {
        return "queue";
    }
}
