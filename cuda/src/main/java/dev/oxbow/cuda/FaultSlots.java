package dev.oxbow.cuda;

import static dev.oxbow.tensor.ErrorCode.RESOURCE_EXHAUSTED;

import dev.oxbow.tensor.OxbowException;
import java.lang.ref.Cleaner;
import java.util.ArrayDeque;

/** Memory for the faults of engines: a few bytes on the card and on the host for each, which are used again when it is forgotten. */
final class FaultSlots {
    static final long BYTES = 64;
    private static final int COUNT = 4096;
    private static final Cleaner CLEANER = Cleaner.create();

    /** Places on the card and on the host. */
    record Slot(long word, long report) {}

    private final ArrayDeque<Slot> free = new ArrayDeque<>();

    /** The context of the card must be entered. */
    FaultSlots() {
        long words = Driver.allocate(COUNT * BYTES), reports = Driver.allocatePinned(COUNT * BYTES);
        for (int i = 0; i < COUNT; i++) free.add(new Slot(words + i * BYTES, reports + i * BYTES));
    }

    /** A slot until {@code owner} can not be reached any more. */
    Slot take(Object owner) {
        Slot s = poll();
        if (s == null) {
            System.gc(); // engines that were forgotten give theirs back
            s = poll();
        }
        if (s == null)
            throw new OxbowException(RESOURCE_EXHAUSTED, "CUDA: there are %d engines with this card".formatted(COUNT));
        Slot taken = s;
        CLEANER.register(owner, () -> give(taken));
        return s;
    }

    private synchronized Slot poll() {
        return free.poll();
    }

    private synchronized void give(Slot s) {
        free.add(s);
    }
}
