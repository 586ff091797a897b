package dev.oxbow.tensor;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

final class SpaceTest {

    /** Memory at addresses that are {@link #FAR} from those of the host. */
    private static final class FarSpace implements Space {
        private static final long FAR = 1L << 56;

        private final String name;
        private final Set<Long> taken = new HashSet<>();

        FarSpace(String name) {
            this.name = name;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public long alignment() {
            return 256;
        }

        @Override
        public long allocate(long bytes) {
            long place = HOST.allocate(bytes) + FAR;
            taken.add(place);
            return place;
        }

        @Override
        public void free(long place) {
            assertTrue(taken.remove(place), "given back without having been taken");
            HOST.free(place - FAR);
        }

        @Override
        public void copy(long from, long to, long bytes) {
            Memory.copy(from - FAR, to - FAR, bytes);
        }

        @Override
        public void zero(long place, long bytes) {
            Memory.zero(place - FAR, bytes);
        }

        @Override
        public void copyIn(long address, long place, long bytes) {
            Memory.copy(address, place - FAR, bytes);
        }

        @Override
        public void copyOut(long place, long address, long bytes) {
            Memory.copy(place - FAR, address, bytes);
        }
    }

    private final FarSpace far = new FarSpace("FAR:0");
    private final MemoryPool pool = new MemoryPool("far", far, Long.MAX_VALUE);

    @Test
    void aStepFindsThePlacesOfTheLastOneAgainInWhateverOrderThatGaveThemBack() {
        Random random = new Random(11);
        List<Long> first = null;
        for (int step = 0; step < 5; step++) {
            List<Buffer> taken = new ArrayList<>();
            for (int i = 0; i < 6; i++) taken.add(pool.allocate(i < 3 ? 300 : 1 << 20, "t"));
            List<Long> places = taken.stream().map(Buffer::place).toList();
            if (first == null && step > 0) first = places;
            if (first != null) assertEquals(first, places);
            Collections.shuffle(taken, random);
            taken.forEach(Buffer::release);
        }
    }

    @Test
    void theHostCanNotAddressWhatLiesElsewhere() {
        Tensor t = Tensor.of(Shape.of(2), 1f, 2f).in(pool, "t");
        List<Executable> all = List.of(
                t::address,
                () -> t.buffer().address(),
                t::floats,
                t::bytes,
                t::segment,
                () -> t.getDouble(0),
                () -> t.set(1, 3));
        for (Executable reading : all)
            assertEquals(
                    ErrorCode.UNIMPLEMENTED,
                    assertThrows(OxbowException.class, reading).code());
        assertEquals(
                "Tensor: f32[2] lies in the memory of FAR:0, where the host can not address it",
                assertThrows(OxbowException.class, t::address).getMessage());
        t.release();
    }

    @Test
    void aTensorComesToAnotherSpaceAsACopyAndStaysWhereItIsInItsOwn() {
        Tensor here = Tensor.of(Shape.of(3), 1, 2, 3);
        Tensor there = here.in(pool, "there");
        MemoryPool other = new MemoryPool("other", new FarSpace("FAR:1"), Long.MAX_VALUE);
        Tensor elsewhere = there.in(other, "elsewhere"), back = elsewhere.toHost();
        assertArrayEquals(new int[] {1, 2, 3}, back.ints());
        assertEquals(2L, there.<Long>onHost(t -> t.getLong(1)));
        assertSame(there, there.in(pool, "there"));
        assertSame(back, back.toHost());
        assertNotSame(here, back);
        for (Tensor t : List.of(there, there, elsewhere, back, back)) t.release();
        assertEquals(0, pool.bytesInUse() + other.bytesInUse());
    }

    @Test
    void objectsAreAtHomeEverywhere() {
        Tensor t = Tensor.scalar("text");
        assertSame(t, t.in(pool, "t"));
        assertEquals(DType.STRING, pool.tensor(DType.STRING, Shape.of(2), "t").dtype());
    }

    @Test
    void viewsLieWhereTheirTensorLies() {
        Tensor t = Tensor.of(Shape.of(2, 2), 1f, 2f, 3f, 4f).in(pool, "t");
        Tensor row = t.viewRows(1, 1), lent = t.lent(Shape.of(2), 8);
        assertEquals(t.place() + 8, row.place());
        assertEquals(row.place(), lent.place());
        assertSame(far, row.space());
        assertTrue(lent.buffer().isLent());
        assertArrayEquals(new float[] {3, 4}, row.toHost().floats());
        assertArrayEquals(new float[] {3, 4}, lent.toHost().floats());
        row.release();
        t.release();
    }

    @Test
    void aPoolKeepsTheAlignmentAndTheBudgetOfAnySpaceAndGivesAllBack() {
        MemoryPool small = new MemoryPool("far", far, 1 << 20);
        for (long bytes : new long[] {0, 1, 300, 320, 5_000, 300_000}) {
            Buffer a = small.allocate(bytes, "a"),
                    b = small.allocate(bytes, "b"),
                    kept = small.allocateKept(bytes, "k");
            for (Buffer each : List.of(a, b, kept)) assertEquals(0, each.place() % 256, () -> "place of " + bytes);
            assertTrue(Math.abs(a.place() - b.place()) >= bytes);
            List.of(a, b, kept).forEach(Buffer::release);
        }
        OxbowException e = assertThrows(OxbowException.class, () -> small.allocate(2 << 20, "weights"));
        assertTrue(e.getMessage().contains("weights wants 2,097,152 bytes"), e.getMessage());
        small.close();
        assertTrue(far.taken.isEmpty());
    }
}
