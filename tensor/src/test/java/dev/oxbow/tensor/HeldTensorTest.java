package dev.oxbow.tensor;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.nio.FloatBuffer;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What users may do with a tensor, right or wrong: nothing of it reaches memory that is not the tensor's. */
final class HeldTensorTest {

    @ParameterizedTest
    @ValueSource(longs = {2, -1, 1L << 36, 1L << 61, Long.MAX_VALUE, Long.MIN_VALUE})
    void elementsThatAreNotThereAreNeitherReadNorWritten(long i) {
        try (Tensor t = Tensor.of(Shape.of(2), 1f, 2f);
                Tensor n = Tensor.of(Shape.of(2), 1L, 2L)) {
            String wanted = "Tensor: there is no element " + i + " in f32[2]";
            assertEquals(wanted, invalid(() -> t.getDouble(i)));
            assertEquals(wanted, invalid(() -> t.set(i, 7)));
            assertEquals(wanted.replace("f32", "i64"), invalid(() -> n.getLong(i)));
            assertEquals(wanted.replace("f32", "i64"), invalid(() -> n.setLong(i, 7)));
            assertArrayEquals(new float[] {1, 2}, t.floats());
        }
    }

    @Test
    void aReferenceThatWasTakenBeforeTheTensorWasClosedGoesOn() {
        Tensor t = Tensor.of(Shape.of(2), 1f, 2f), taken = t.retain();
        t.close();
        Tensor again = taken.retain();
        taken.release();
        assertArrayEquals(new float[] {1, 2}, again.floats());
        again.release();
    }

    @Test
    void afterCloseEverythingIsAnErrorThatSaysSo() {
        Tensor t = Tensor.of(Shape.of(2), 1f, 2f);
        t.close();
        t.close();
        assertTrue(t.isClosed());
        Executable[] uses = {
            t::floats,
            t::bytes,
            t::segment,
            t::retain,
            () -> t.copyTo(FloatBuffer.allocate(2)),
            () -> t.getDouble(0),
            () -> t.set(0, 1),
            () -> t.setLong(0, 1),
            () -> t.reshaped(Shape.of(1, 2)),
            () -> t.rows(0, 1),
            () -> t.as(DType.I32, Shape.of(2))
        };
        for (Executable use : uses) {
            OxbowException e = assertThrows(OxbowException.class, use);
            assertEquals(ErrorCode.FAILED_PRECONDITION, e.code());
            assertEquals("Tensor: f32[2] was closed", e.getMessage());
        }
    }

    @Test
    void aBufferWithTooLittleRoomIsLeftAsItWas() {
        FloatBuffer small = FloatBuffer.allocate(1);
        try (Tensor t = Tensor.of(Shape.of(2), 1f, 2f)) {
            assertEquals("Tensor: f32[2] does not fit a buffer with room for 1", invalid(() -> t.copyTo(small)));
        }
        assertEquals(0, small.position());
    }

    @Test
    void objectsHaveNoBytesToBeReadOrViewed() {
        Tensor t = Tensor.of(Shape.of(2), "a", "b");
        assertEquals("Tensor: elements of string[2] have no bytes", invalid(t::bytes));
        assertEquals("Tensor: elements of string[2] have no bytes", invalid(t::segment));
        assertThrows(OxbowException.class, () -> t.as(DType.U8, Shape.of(0)));
        var e = assertThrows(OxbowException.class, t::address);
        assertEquals(ErrorCode.UNIMPLEMENTED, e.code());
        assertEquals("there is no kernel for elements of string[2]", e.getMessage());
    }

    @Test
    void aViewIsClosedByItselfAndThenGivesItsShareBack() {
        MemoryPool pool = new MemoryPool("test", Long.MAX_VALUE);
        Tensor t = pool.tensor(DType.F32, Shape.of(4, 2), "t").guarded();
        try (t;
                Tensor rows = t.rows(1, 2);
                Tensor flat = t.reshaped(Shape.of(8));
                Tensor bits = t.as(DType.I32, Shape.of(4, 2))) {
            rows.set(0, 1);
            assertEquals(1, flat.getDouble(2));
            assertEquals(Float.floatToIntBits(1), bits.getLong(2));
        }
        assertEquals(0, pool.bytesInUse());
    }

    @Test
    void aSegmentKeepsTheMemoryWhateverBecomesOfTheTensor() {
        Tensor t = Tensor.of(Shape.of(2), 1f, 2f);
        MemorySegment s = t.segment();
        t.close();
        try (Tensor other = Tensor.of(Shape.of(2), 7f, 7f)) {
            assertEquals(7, other.getDouble(0));
            assertEquals(8, s.byteSize());
            assertEquals(1, s.get(Memory.FLOAT, 0));
            assertThrows(IndexOutOfBoundsException.class, () -> s.get(Memory.FLOAT, 8));
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {(1L << 60) - 1, (1L << 58), (1L << 55) + 1})
    void sizesThatNoMachineHasAreRefusedBeforeTheyAreRounded(long n) {
        var e = assertThrows(OxbowException.class, () -> Tensor.zeros(DType.F64, Shape.of(n)));
        assertEquals(ErrorCode.RESOURCE_EXHAUSTED, e.code());
        e = assertThrows(OxbowException.class, () -> Tensor.zeros(DType.U8, Shape.of(Long.MAX_VALUE)));
        assertEquals(ErrorCode.RESOURCE_EXHAUSTED, e.code());
        e = assertThrows(OxbowException.class, () -> Tensor.zeros(DType.STRING, Shape.of(n)));
        assertEquals(ErrorCode.RESOURCE_EXHAUSTED, e.code());
    }

    @Test
    void moreThanTheMachineHasIsAnErrorAndNotTheEndOfTheProcess() {
        var e = assertThrows(OxbowException.class, () -> Tensor.allocate(DType.U8, Shape.of(1L << 46)));
        assertEquals(ErrorCode.RESOURCE_EXHAUSTED, e.code());
        assertTrue(e.getMessage().contains("bytes of this machine are taken"), e.getMessage());
    }

    @Test
    void partsOfEmptyShapesDoNotOverflow() {
        Shape s = Shape.of(0, 1L << 40, 1L << 40);
        assertEquals(0, s.size());
        assertEquals("Shape: a part of " + s + " has more than 2^63 elements", invalid(() -> s.size(1, 3)));
        assertThrows(OxbowException.class, s::strides);
        assertEquals("Shape: there is no dimension 3 in " + s, invalid(() -> s.dim(3)));
        assertEquals("Shape: there is no dimension -4 in " + s, invalid(() -> s.dim(-4)));
    }

    @Test
    void forgottenTensorsComeBackWithinABudget() {
        MemoryPool pool = new MemoryPool("test", 64 << 20);
        for (int i = 0; i < 100; i++)
            pool.tensor(DType.F32, Shape.of(1 << 20), "forgotten").guarded();
        assertTrue(pool.peakBytes() <= 64 << 20);
    }

    @Test
    void forgottenTensorsAndClosedViewsNeverHoldAGigabyte() {
        long before = MemoryPool.shared().bytesInUse(), most = 0;
        for (int i = 0; i < 1000; i++) {
            Tensor t = Tensor.zeros(DType.F32, Shape.of(1 << 20));
            if (i % 2 == 0) t.rows(0, 10).close();
            if (i % 10 == 0) most = Math.max(most, MemoryPool.shared().bytesInUse() - before);
        }
        assertTrue(most < 1 << 30, "held " + most);
    }

    @Test
    void aTensorIsNotTakenAwayWhileItsLastMethodReadsIt() throws Exception {
        readWhileCollecting(2);
    }

    @Test
    @Tag("long")
    void aTensorIsNotTakenAwayWhileItsLastMethodReadsItForLong() throws Exception {
        readWhileCollecting(20);
    }

    /** Reads tensors that nobody names any more, with a thread that collects and one that takes what comes back. */
    private static void readWhileCollecting(int seconds) throws Exception {
        AtomicBoolean stop = new AtomicBoolean();
        Thread collector = Thread.ofPlatform().daemon().start(() -> {
            while (!stop.get()) {
                System.gc();
                Thread.yield();
            }
        });
        Thread other = Thread.ofPlatform().daemon().start(() -> {
            while (!stop.get()) filled(-1).close();
        });
        long end = System.nanoTime() + seconds * 1_000_000_000L;
        try {
            while (System.nanoTime() < end) {
                for (float v : filled(3).floats()) assertEquals(3, v);
                assertEquals(3, filled(3).getDouble(5));
                assertEquals(3, filled(3).rows(4, 4).floats()[1]);
                assertEquals(3, filled(3).segment().get(Memory.FLOAT, 400));
            }
        } finally {
            stop.set(true);
            collector.join();
            other.join();
        }
    }

    @Test
    void anotherThreadMayCloseWhatIsBeingRead() throws Exception {
        for (int i = 0; i < 200; i++) {
            Tensor t = filled(3);
            Thread closing = Thread.ofPlatform().start(t::close);
            try {
                for (float v : t.floats()) assertEquals(3, v);
            } catch (OxbowException e) {
                assertEquals(ErrorCode.FAILED_PRECONDITION, e.code(), e::getMessage);
            }
            closing.join();
        }
    }

    private static Tensor filled(float value) {
        float[] a = new float[1 << 16];
        Arrays.fill(a, value);
        return Tensor.of(Shape.of(a.length), a);
    }

    private static String invalid(Executable use) {
        OxbowException e = assertThrows(OxbowException.class, use);
        assertEquals(ErrorCode.INVALID_ARGUMENT, e.code());
        assertFalse(e.getMessage().isEmpty());
        return e.getMessage();
    }
}
