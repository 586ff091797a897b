package dev.oxbow.data.pipeline;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import java.util.List;

/** Without the first so many elements, every so manieth of the others, and only so many of those. */
record PartStage<T>(Stage<T> from, String describe, long skipped, long every, long most) implements Stage<T> {

    PartStage {
        require(skipped >= 0 && every > 0 && most >= 0, INVALID_ARGUMENT, "input: %s must not be negative", describe);
    }

    @Override
    public Cursor<T> open(Setting setting) {
        Cursor<T> upstream = from.open(setting);
        return new Cursor<>() {
            private long before = skipped;
            private long left = most;

            @Override
            public Lazy<T> next() {
                if (left == 0 || before > 0 && upstream.skip(before) < before) {
                    left = 0;
                    return null;
                }
                before = every - 1;
                Lazy<T> next = upstream.next();
                left = next == null ? 0 : left - 1;
                return next;
            }

            @Override
            public long skip(long n) {
                long wanted = Math.min(n, left);
                if (wanted == 0) return 0;
                if (every > 1) return Cursor.super.skip(wanted);
                long first = upstream.skip(before), skipped = first < before ? 0 : upstream.skip(wanted);
                before = 0;
                left = skipped < wanted ? 0 : left - skipped;
                return skipped;
            }

            @Override
            public void close() {
                upstream.close();
            }
        };
    }

    @Override
    public List<Stage<?>> inputs() {
        return List.of(from);
    }
}
