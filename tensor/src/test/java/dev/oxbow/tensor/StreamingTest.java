package dev.oxbow.tensor;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

class StreamingTest {
    private static final int ROOM = 4096;

    @Test
    void copiesWhatAPlainCopyWouldAndNothingBesideIt() {
        Random random = new Random(5);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment from = arena.allocate(ROOM, 64), to = arena.allocate(ROOM, 64);
            for (int bytes : new int[] {0, 1, 15, 63, 64, 65, 127, 128, 200, 1000, 2048, 3000}) {
                for (int shift : new int[] {0, 1, 4, 16, 60, 63, 64, 500}) {
                    byte[] source = new byte[ROOM], expected = new byte[ROOM];
                    random.nextBytes(source);
                    random.nextBytes(expected);
                    MemorySegment.copy(source, 0, from, ValueLayout.JAVA_BYTE, 0, ROOM);
                    MemorySegment.copy(expected, 0, to, ValueLayout.JAVA_BYTE, 0, ROOM);
                    int start = random.nextInt(200);
                    System.arraycopy(source, start, expected, shift, bytes);
                    Streaming.copy(from.address() + start, to.address() + shift, bytes);
                    assertArrayEquals(expected, to.toArray(ValueLayout.JAVA_BYTE), bytes + " bytes at " + shift);
                }
            }
        }
    }

    @Test
    @EnabledOnOs(value = OS.LINUX, architectures = "amd64")
    void isThereUnderLinuxOnX86() {
        assertTrue(Streaming.isAvailable());
    }
}
