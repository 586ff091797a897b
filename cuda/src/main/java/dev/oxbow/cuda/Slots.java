package dev.oxbow.cuda;

import static dev.oxbow.tensor.ErrorCode.RESOURCE_EXHAUSTED;

import dev.oxbow.tensor.OxbowException;
import java.lang.ref.Cleaner;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongUnaryOperator;

/** Small places for numbers, which are used again when their owner is forgotten. Thread-safe. */
final class Slots {
    static final long BYTES = 64;
    private static final int COUNT = 4096;
    private static final Cleaner CLEANER = Cleaner.create();

    private final String what;
    private final ArrayDeque<List<Long>> free = new ArrayDeque<>();

    /** Slots with a place of each of some sorts of memory. The context of the card must be entered. */
    Slots(String what, LongUnaryOperator... memories) {
        this.what = what;
        List<Long> starts = new ArrayList<>();
        for (LongUnaryOperator m : memories) starts.add(m.applyAsLong(COUNT * BYTES));
        for (int i = 0; i < COUNT; i++) {
            long offset = i * BYTES;
            free.add(starts.stream().map(s -> s + offset).toList());
        }
    }

    /** The places of a slot until {@code owner} can not be reached any more. */
    List<Long> take(Object owner) {
        List<Long> s = poll();
        if (s == null) {
            System.gc(); // owners that were forgotten give theirs back
            s = poll();
        }
        if (s == null)
            throw new OxbowException(
                    RESOURCE_EXHAUSTED, "CUDA: this card has places for %d %s at a time".formatted(COUNT, what));
        List<Long> taken = s;
        CLEANER.register(owner, () -> give(taken));
        return s;
    }

    private synchronized List<Long> poll() {
        return free.poll();
    }

    private synchronized void give(List<Long> s) {
        free.add(s);
    }
}
