package dev.oxbow.tensor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

final class MemoryPoolTest {

    @Test
    void blocksAreAlignedLargeEnoughAndReused() {
        assumeFalse(Fence.ON, "fenced blocks are never used again");
        MemoryPool pool = new MemoryPool("test", Long.MAX_VALUE);
        for (long size : new long[] {0, 1, 63, 64, 65, 257, 1000, 4096, 1 << 20, (1 << 20) + 1, 50_000_000}) {
            Buffer b = pool.allocate(size, "t");
            assertEquals(0, b.address() % 64, () -> "alignment of " + size);
            assertTrue(
                    b.size() >= size && b.size() <= Math.max(64, size + size / 4 + 64),
                    () -> size + " got " + b.size());
            Memory.zero(b.address(), b.size());
            long address = b.address();
            b.release();
            Buffer again = pool.allocate(size, "t");
            assertEquals(address, again.address());
            again.release();
        }
        assertEquals(0, pool.bytesInUse());
    }

    @Test
    void aRandomWorkloadNeverOverlapsAndEndsWithNothingInUse() {
        MemoryPool pool = new MemoryPool("test", Long.MAX_VALUE);
        Random random = new Random(7);
        List<Buffer> live = new ArrayList<>();
        for (int i = 0; i < 5_000; i++) {
            if (live.size() > 100 || !live.isEmpty() && random.nextInt(3) == 0) {
                Buffer b = live.remove(random.nextInt(live.size()));
                assertEquals(b.address(), Memory.getLong(b.address()), "overwritten by another block");
                b.release();
            } else {
                Buffer b = pool.allocate(8 + random.nextInt(5_000), "t");
                Memory.putLong(b.address(), b.address());
                live.add(b);
            }
        }
        live.forEach(Buffer::release);
        assertEquals(0, pool.bytesInUse());
    }

    @Test
    void theBudgetHoldsAndTheErrorNamesTheLargestHolders() {
        MemoryPool pool = new MemoryPool("CPU:0", 3 << 20);
        Buffer big = pool.allocate(2 << 20, "dense1/weights");
        var e = assertThrows(OxbowException.class, () -> pool.allocate(2 << 20, "dense2/weights"));
        assertEquals(ErrorCode.RESOURCE_EXHAUSTED, e.code());
        assertTrue(
                e.getMessage().contains("dense2/weights wants 2,097,152 bytes")
                        && e.getMessage().contains("dense1/weights 2,097,152"),
                e.getMessage());
        big.release();
        pool.allocate(2 << 20, "dense2/weights").release();
    }

    @Test
    void blocksKeptForReuseAreGivenBackBeforeTheBudgetIsExceeded() {
        assumeFalse(Fence.ON, "fenced blocks are never used again");
        MemoryPool pool = new MemoryPool("CPU:0", 3 << 20);
        pool.allocate(2 << 20, "a").release();
        pool.allocate(3 << 20, "b").release();
        assertEquals(3 << 20, pool.bytesReserved());
    }

    @Test
    void releasingTwiceIsAnError() {
        Buffer b = new MemoryPool("test", 1 << 20).allocate(10, "x");
        b.release();
        assertEquals(
                ErrorCode.INTERNAL,
                assertThrows(OxbowException.class, b::release).code());
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void renewedPagesHoldWhatTheyHeldAndCanBeWritten() {
        assumeFalse(Fence.ON, "fenced blocks are never used again");
        MemoryPool pool = new MemoryPool("test", Long.MAX_VALUE);
        Buffer block = pool.allocate(8 << 20, "block"), small = pool.allocate(1 << 16, "small");
        long at = block.address() + 100;
        int length = 1 << 20;
        assertTrue(Pages.areMapped(at, length));
        assertFalse(Pages.areMapped(small.address(), 1 << 16));
        for (int i = 0; i < length; i++) Memory.putByte(at + i, (byte) (i * 31));
        Pages.renew(at, length);
        Pages.renew(at, 10);
        for (int i = 0; i < length; i++) assertEquals((byte) (i * 31), Memory.getByte(at + i));
        Memory.zero(block.address(), 8 << 20);
        block.release();
        small.release();
        pool.close();
        assertFalse(Pages.areMapped(at, length));
    }
}
