package dev.oxbow.net.ring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.OxbowException;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;

final class RingTest {
    private final Arena arena = Arena.ofAuto();
    private final long memory = arena.allocate(Ring.HEADER + 256, 128).address();
    private final long bytes = arena.allocate(1024, 64).address();
    private final Ring writer = new Ring(memory, 256);
    private final Ring reader = new Ring(memory, 256);

    @Test
    void bytesComeInPiecesThatEndWhereTheMemoryDoes() {
        for (int i = 0; i < 1024; i++) Memory.putByte(bytes + i, (byte) i);
        assertEquals(200, writer.write(bytes, 200));
        assertEquals(200, reader.available());
        reader.skip(200);
        assertEquals(256, writer.write(bytes + 200, 300));
        assertEquals(56, reader.available());
        assertEquals((byte) 200, Memory.getByte(reader.address()));
        reader.skip(56);
        assertEquals(200, reader.available());
        assertEquals((byte) 256, Memory.getByte(reader.address()));
    }

    @Test
    void aRefusedWriterIsRelievedOnceAQuarterIsFree() {
        assertEquals(256, writer.write(bytes, 256));
        assertFalse(writer.relieved());
        assertEquals(0, writer.write(bytes, 1));
        assertEquals(256, reader.available());
        assertFalse(reader.skip(63));
        assertFalse(writer.relieved());
        assertTrue(reader.skip(1));
        assertTrue(writer.relieved());
        assertFalse(writer.relieved());
        assertFalse(reader.skip(1));
        assertEquals(65, writer.write(bytes, 100));
    }

    @Test
    void newsAreToldOnce() {
        assertFalse(reader.news());
        writer.write(bytes, 10);
        assertTrue(reader.news());
        assertFalse(reader.news());
        writer.write(bytes, 10);
        assertEquals(20, reader.available());
        assertFalse(reader.news());
        writer.end();
        assertTrue(reader.news());
        assertFalse(reader.news());
        assertFalse(reader.ended());
        reader.skip(20);
        assertTrue(reader.ended());
    }

    @Test
    void aWriterLearnsThatTheReaderLeft() {
        writer.write(bytes, 300);
        reader.leave();
        assertTrue(writer.left());
        assertTrue(writer.relieved());
    }

    @Test
    void nonsenseFromThePeerIsAnErrorAndNeverAnAddress() {
        for (long tail : new long[] {-1, 257, Long.MIN_VALUE, Long.MAX_VALUE}) {
            Memory.putLong(memory, tail);
            OxbowException e = assertThrows(OxbowException.class, reader::available);
            assertEquals(ErrorCode.UNAVAILABLE, e.code());
        }
        Memory.putLong(memory, 0);
        assertEquals(256, writer.write(bytes, 256));
        for (long head : new long[] {-1, 257, Long.MIN_VALUE, Long.MAX_VALUE}) {
            Memory.putLong(memory + 128, head);
            OxbowException e = assertThrows(OxbowException.class, () -> writer.write(bytes, 1));
            assertEquals("Ring: the reader's count went from 0 to " + head + ", with 256 written", e.getMessage());
        }
        assertThrows(OxbowException.class, () -> reader.skip(1));
        assertThrows(OxbowException.class, () -> new Ring(memory + 8, 256));
        assertThrows(OxbowException.class, () -> new Ring(memory, 100));
    }
}
