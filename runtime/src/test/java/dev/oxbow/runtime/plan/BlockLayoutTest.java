package dev.oxbow.runtime.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Places in a block, taken and given back by hand. */
final class BlockLayoutTest {
    private final BlockLayout block = new BlockLayout();

    @Test
    void placesAreAlignedAndTheSmallestHoleThatFitsIsTaken() {
        assertEquals(0, block.take(1));
        assertEquals(64, block.take(300));
        assertEquals(64 + 320, block.take(64));
        assertEquals(448, block.take(100));
        long end = block.take(1);
        block.give(64, 300);
        block.give(448, 100);
        assertEquals(448, block.take(65), "128 bytes are enough");
        assertEquals(64, block.take(64));
        assertEquals(128, block.take(256), "the rest of the hole");
        assertEquals(end + 64, block.size());
    }

    @Test
    void holesBesideEachOtherAreOne() {
        block.take(64);
        block.take(64);
        block.take(64);
        block.take(64);
        block.give(0, 64);
        block.give(128, 64);
        block.give(64, 64);
        assertEquals(0, block.take(192));
        assertEquals(256, block.size());
    }

    @Test
    void aHoleAtTheEndGrows() {
        block.take(64);
        block.take(64);
        block.give(64, 64);
        assertEquals(64, block.take(640));
        assertEquals(64 + 640, block.size());
    }

    @Test
    void largePlacesDifferModuloAPage() {
        long first = block.take(1 << 14), second = block.take(1 << 14);
        assertFalse((second - first) % 4096 == 0);
        assertEquals(0, second % 64);
    }

    @Test
    void placesInUseNeverOverlap() {
        Random random = new Random(11);
        Map<Long, Long> taken = new HashMap<>();
        for (int i = 0; i < 2000; i++) {
            if (taken.isEmpty() || random.nextInt(5) < 3) {
                long size = 1 + random.nextInt(i % 7 == 0 ? 40_000 : 500), at = block.take(size);
                taken.forEach((o, s) -> assertTrue(at + size <= o || o + s <= at));
                assertTrue(at + size <= block.size());
                taken.put(at, size);
            } else {
                long at = taken.keySet().iterator().next();
                block.give(at, taken.remove(at));
            }
        }
    }
}
