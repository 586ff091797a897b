package dev.oxbow.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.OxbowException;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What every transport does, over each of them. */
final class TransportSuiteTest {
    private final long before = MemoryPool.shared().bytesInUse();

    @AfterEach
    void nothingIsLeft() {
        assertTrue(MemoryPool.shared().bytesInUse() <= before, "memory is given back");
    }

    static Stream<Arguments> rigsAndSizes() {
        return Stream.of(Rig.values())
                .flatMap(rig -> IntStream.rangeClosed(1, 5).mapToObj(size -> Arguments.of(rig, size)));
    }

    @ParameterizedTest
    @MethodSource("rigsAndSizes")
    void streamsArriveWholeAndInOrderBothWays(Rig rig, int size) {
        rig.run(size, transport -> new Traffic(transport, 42 + size, 600_000));
    }

    @ParameterizedTest
    @EnumSource
    void ranksAndLinksAreTheSameEachTime(Rig rig) {
        List<Integer> ranks = new CopyOnWriteArrayList<>();
        rig.run(3, transport -> {
            ranks.add(transport.rank());
            assertEquals(3, transport.size());
            int peer = (transport.rank() + 1) % 3;
            assertTrue(transport.link(peer) == transport.link(peer));
            assertTrue(transport.link(peer).peer().startsWith("rank " + peer));
            for (int wrong : new int[] {-1, 3, transport.rank()}) {
                OxbowException e = assertThrows(OxbowException.class, () -> transport.link(wrong));
                assertEquals(ErrorCode.INVALID_ARGUMENT, e.code());
            }
            return () -> true;
        });
        assertEquals(List.of(0, 1, 2), ranks.stream().sorted().toList());
    }

    @ParameterizedTest
    @EnumSource
    void aFullPipeTakesNothingUntilThePeerReads(Rig rig) {
        long total = 48 << 20;
        AtomicBoolean full = new AtomicBoolean();
        Transport[] transports = new Transport[2];
        try (Arena arena = Arena.ofShared()) {
            long memory = arena.allocate(1 << 20, 64).address();
            long target = arena.allocate(1 << 20, 64).address();
            rig.run(2, transport -> {
                transports[transport.rank()] = transport;
                Link link = transport.link(1 - transport.rank());
                long[] moved = new long[1];
                if (transport.rank() == 0) {
                    return () -> {
                        while (moved[0] < total) {
                            long n = link.write(memory, Math.min(1 << 20, total - moved[0]));
                            link.flush();
                            moved[0] += n;
                            if (n > 0) continue;
                            full.set(true);
                            if (transports[1] != null) transports[1].wakeUp();
                            return false;
                        }
                        return link.flush() && full.get();
                    };
                }
                return () -> {
                    if (!full.get()) return false;
                    for (long n; moved[0] < total; moved[0] += n) {
                        n = link.read(target, Math.min(1 << 20, total - moved[0]));
                        if (n == 0) return false;
                    }
                    return true;
                };
            });
        }
        assertTrue(full.get());
    }

    @ParameterizedTest
    @EnumSource
    void aClosedLinkGivesWhatWasFlushedAndThenAnError(Rig rig) {
        AtomicInteger seen = new AtomicInteger();
        try (Arena arena = Arena.ofShared()) {
            long memory = arena.allocate(1000).address();
            rig.run(3, transport -> {
                if (transport.rank() == 1) return () -> true;
                Link link = transport.link(2 - transport.rank());
                if (transport.rank() == 2) {
                    return () -> {
                        assertEquals(1000, link.write(memory, 1000));
                        assertTrue(link.flush());
                        link.close();
                        link.close();
                        return true;
                    };
                }
                return () -> {
                    while (seen.get() < 1000) {
                        long n = link.available();
                        if (n == 0) return false;
                        link.skip(n);
                        seen.addAndGet((int) n);
                    }
                    try {
                        assertEquals(0, link.available());
                        return false;
                    } catch (OxbowException e) {
                        assertEquals(ErrorCode.UNAVAILABLE, e.code());
                        assertTrue(e.getMessage().startsWith("rank 2"), e.getMessage());
                        seen.addAndGet(1);
                        return true;
                    }
                };
            });
        }
        assertEquals(1001, seen.get());
    }

    @ParameterizedTest
    @EnumSource
    void aLinkClosedOnThisSideSaysSo(Rig rig) {
        rig.run(2, transport -> {
            Link link = transport.link(1 - transport.rank());
            link.close();
            OxbowException e = assertThrows(OxbowException.class, () -> link.available());
            assertEquals(ErrorCode.UNAVAILABLE, e.code());
            e = assertThrows(OxbowException.class, () -> link.write(0, 0));
            assertEquals(ErrorCode.UNAVAILABLE, e.code());
            return () -> true;
        });
    }

    @ParameterizedTest
    @EnumSource
    void wakeUpEndsTheNextWait(Rig rig) {
        rig.run(2, transport -> {
            int[] steps = new int[1];
            return () -> {
                transport.wakeUp();
                return ++steps[0] == 100; // 100 waits that are not cut short take longer than the limit
            };
        });
    }

    @ParameterizedTest
    @EnumSource
    void sharedMemoryIsSeenInPlaceAndNothingBeyondIt(Rig rig) {
        try (Arena arena = Arena.ofShared()) {
            long own = arena.allocate(1 << 16, 64).address();
            rig.run(2, transport -> sharing(transport, own + (transport.rank() << 10), own));
        }
    }

    private static Rig.Program sharing(Transport transport, long note, long unshared) {
        Link link = transport.link(1 - transport.rank());
        assertEquals(-1, link.share(unshared, 8));
        long bytes = 3_000_000;
        long memory = transport.allocateShared(bytes);
        if (memory == 0) return () -> true;
        assertEquals(0, Memory.getLong(memory + bytes - 8));
        assertEquals(0, memory % 64);
        Memory.putLong(memory + bytes - 8, 1000 + transport.rank());
        Memory.putLong(note, link.share(memory, bytes));
        assertTrue(Memory.getLong(note) >= 0);
        assertEquals(-1, link.share(memory, 1L << 50));
        assertEquals(8, link.write(note, 8));
        link.flush();
        return () -> {
            if (link.available() < 8) return false;
            long reference = Memory.getLong(link.address());
            link.skip(8);
            assertEquals(1001 - transport.rank(), Memory.getLong(link.shared(reference, bytes) + bytes - 8));
            for (long wrong : new long[] {-1, Long.MAX_VALUE, Long.MIN_VALUE, 1L << 50}) {
                assertThrows(OxbowException.class, () -> link.shared(wrong, 8));
                assertThrows(OxbowException.class, () -> link.shared(reference, wrong));
            }
            return true;
        };
    }
}
