package dev.oxbow.tensor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class ReserveTest {
    private static final int BYTES = 1 << 20;
    private static final int FIRST = 4096;

    @Test
    void theMappingIsLargeAndTakesNothingUntilItIsWritten() {
        MemorySegment all = new Reserve().all();
        assertTrue(all.byteSize() >= 1 << 26, all::toString);
        assertEquals(0, all.get(ValueLayout.JAVA_LONG, all.byteSize() - 8));
        all.set(ValueLayout.JAVA_LONG, all.byteSize() - 8, 7);
        assertEquals(7, all.get(ValueLayout.JAVA_LONG, all.byteSize() - 8));
    }

    @Test
    void slicesAreClearedAlignedAndApartAndAllComeBack() {
        long seed = 5;
        Random random = new Random(seed);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment all = arena.allocate(BYTES, 4096);
            Reserve reserve = new Reserve(all);
            List<Arena> open = new ArrayList<>();
            List<MemorySegment> held = new ArrayList<>();
            for (int round = 0; round < 2_000; round++) {
                if (open.size() == 20) {
                    int i = random.nextInt(open.size());
                    open.remove(i).close();
                    held.remove(i);
                }
                Arena a = reserve.arena();
                long alignment = 1L << random.nextInt(13);
                MemorySegment s = a.allocate(random.nextInt(20_000), alignment);
                assertEquals(0, (s.address() - all.address()) % alignment, () -> "seed " + seed);
                for (MemorySegment other : held)
                    assertTrue(s.asOverlappingSlice(other).isEmpty(), () -> "seed " + seed);
                for (long at = 0; at < s.byteSize(); at++) assertEquals(0, s.get(ValueLayout.JAVA_BYTE, at));
                s.fill((byte) 1);
                open.add(a);
                held.add(s);
            }
            open.forEach(Arena::close);
            assertEquals(
                    BYTES - FIRST, reserve.arena().allocate(BYTES - FIRST, 1).byteSize());
        }
    }

    @Test
    void whatDoesNotFitIsAnOutOfMemoryError() {
        try (Arena arena = Arena.ofConfined()) {
            Reserve reserve = new Reserve(arena.allocate(BYTES, 4096));
            var e = assertThrows(OutOfMemoryError.class, () -> reserve.arena().allocate(BYTES, 1));
            assertEquals("no 1048576 bytes in a mapping of 1048576", e.getMessage());
        }
    }
}
