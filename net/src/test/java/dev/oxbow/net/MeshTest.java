package dev.oxbow.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.net.memory.Network;
import dev.oxbow.net.sim.Conditions;
import dev.oxbow.net.sim.Simulation;
import dev.oxbow.tensor.Buffer;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.OxbowException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages over every transport, then each promise of the mesh with two ranks stepped by hand. */
@Timeout(300)
final class MeshTest {
    private static final long SOON = 30_000_000_000L;
    /** A rank of a busy machine may not run for seconds. */
    private static final MeshConfig PATIENT =
            MeshConfig.DEFAULT.withLiveness(Duration.ofMillis(500), Duration.ofSeconds(60));

    private static final MeshConfig QUICK =
            MeshConfig.DEFAULT.withLiveness(Duration.ofMillis(20), Duration.ofMillis(200));

    private final MemoryPool pool = MemoryPool.shared();
    private final long before = pool.bytesInUse();
    private final List<Buffer> buffers = new ArrayList<>();

    @AfterEach
    void nothingIsLeft() {
        buffers.forEach(Buffer::release);
        assertTrue(pool.bytesInUse() <= before, "memory is given back");
    }

    private long memory(long bytes) {
        Buffer b = pool.allocate(Math.max(1, bytes), "test");
        synchronized (buffers) {
            buffers.add(b);
        }
        return b.address();
    }

    static Stream<Arguments> rigsAndSizes() {
        return Stream.of(Rig.values()).flatMap(rig -> Stream.of(1, 2, 3, 5).map(size -> Arguments.of(rig, size)));
    }

    /** Each rank sends every other one messages of awkward lengths under two tags and asks for them in another order. */
    @ParameterizedTest
    @MethodSource("rigsAndSizes")
    void messagesMeetTheirReceivesByPeerAndTag(Rig rig, int size) {
        int[] lengths = {0, 1, 63, 64, 1000, 20_000, 65_537, 300_003};
        rig.run(size, transport -> {
            Mesh mesh = new Mesh(transport, PATIENT, (_, _) -> {}, (_, _, _) -> {});
            int[] open = new int[1];
            List<Runnable> checks = new ArrayList<>();
            long deadline = transport.nanoTime() + SOON;
            Answer answer = e -> {
                assertNull(e);
                open[0]--;
            };
            for (int peer = 0; peer < size; peer++) {
                if (peer == mesh.rank()) continue;
                int from = peer;
                for (int i = 0; i < lengths.length; i++) {
                    long out = memory(lengths[i]);
                    fill(out, lengths[i], 100 * mesh.rank() + i);
                    mesh.send(peer, i % 2, out, lengths[i], deadline, answer);
                    open[0]++;
                }
                for (int parity : new int[] {1, 0}) {
                    for (int i = parity; i < lengths.length; i += 2) {
                        int length = lengths[i], seed = 100 * from + i;
                        long in = memory(length);
                        if (i % 4 < 2) mesh.receive(peer, parity, in, length, deadline, answer);
                        else mesh.receive(peer, parity, length, copyTo(in), deadline, answer);
                        open[0]++;
                        checks.add(() -> check(in, length, seed));
                    }
                }
            }
            return () -> {
                while (mesh.step()) {}
                if (open[0] > 0) return false;
                checks.forEach(Runnable::run);
                return true;
            };
        });
    }

    private static Sink copyTo(long target) {
        long[] next = new long[1];
        return (address, offset, length) -> {
            assertEquals(next[0], offset);
            assertEquals(0, offset % 64);
            Memory.copy(address, target + offset, length);
            next[0] = offset + length;
        };
    }

    private static void fill(long at, long length, int seed) {
        byte[] bytes = new byte[(int) length];
        new Random(seed).nextBytes(bytes);
        for (int i = 0; i < length; i++) Memory.putByte(at + i, bytes[i]);
    }

    private static void check(long at, long length, int seed) {
        byte[] bytes = new byte[(int) length];
        new Random(seed).nextBytes(bytes);
        for (int i = 0; i < length; i++) if (bytes[i] != Memory.getByte(at + i)) throw new AssertionError("byte " + i);
    }

    @ParameterizedTest
    @EnumSource
    void notesAreHandedOverInOrder(Rig rig) {
        rig.run(3, transport -> {
            List<String> notes = new ArrayList<>();
            Mesh mesh = new Mesh(
                    transport,
                    PATIENT,
                    (_, _) -> {},
                    (from, address, length) ->
                            notes.add(from + ":" + length + ":" + (length > 0 ? Memory.getByte(address) : -1)));
            int next = (mesh.rank() + 1) % 3, previous = (mesh.rank() + 2) % 3;
            long memory = memory(Mesh.MAX_NOTE);
            for (int i = 0; i < 50; i++) {
                Memory.putByte(memory, (byte) i);
                mesh.note(next, memory, i * 1300);
            }
            int[] open = {2}; // a message behind the notes tells that they are out
            long deadline = transport.nanoTime() + SOON;
            mesh.send(next, 1, memory, 1, deadline, _ -> open[0]--);
            mesh.receive(previous, 1, memory(1), 1, deadline, _ -> open[0]--);
            return () -> {
                while (mesh.step()) {}
                if (notes.size() < 50 || open[0] > 0 || !mesh.isSent(next)) return false;
                for (int i = 0; i < 50; i++)
                    assertEquals(previous + ":" + i * 1300 + ":" + (i == 0 ? -1 : i), notes.get(i));
                return true;
            };
        });
    }

    /** Two ranks of one thread. */
    private final class Pair implements AutoCloseable {
        final List<? extends Transport> transports = Network.mesh(2, 1 << 14);
        final List<String> lost = new ArrayList<>();
        final Mesh[] mesh = new Mesh[2];

        Pair(MeshConfig config) {
            for (int r = 0; r < 2; r++) {
                mesh[r] = new Mesh(
                        transports.get(r), config, (p, e) -> lost.add(p + ": " + e.getMessage()), (_, _, _) -> {});
            }
        }

        void step() {
            while (mesh[0].step() | mesh[1].step()) {}
        }

        long in(long nanos) {
            return transports.getFirst().nanoTime() + nanos;
        }

        @Override
        public void close() {
            for (Mesh m : mesh) m.close();
        }
    }

    private static Answer into(List<OxbowException> answers) {
        return answers::add;
    }

    @Test
    void aReceiveWithoutAMessageEndsAtItsDeadlineAndNamesTheRank() {
        try (Pair pair = new Pair(MeshConfig.DEFAULT)) {
            List<OxbowException> answers = new ArrayList<>();
            pair.mesh[0].receive(1, 7, memory(10), 10, pair.in(5_000_000), into(answers));
            while (answers.isEmpty()) pair.step();
            assertEquals(ErrorCode.DEADLINE_EXCEEDED, answers.getFirst().code());
            assertEquals(
                    "receive of 10 bytes from rank 1: 0 of them had moved when the deadline passed",
                    answers.getFirst().getMessage());
        }
    }

    @Test
    void aMessageOfAnotherLengthIsAnErrorOfItsReceiveOnly() {
        try (Pair pair = new Pair(MeshConfig.DEFAULT)) {
            List<OxbowException> answers = new ArrayList<>();
            long a = memory(100), b = memory(100);
            pair.mesh[1].send(0, 7, a, 20, pair.in(SOON), _ -> {});
            pair.mesh[1].send(0, 7, a, 30, pair.in(SOON), _ -> {});
            pair.mesh[0].receive(1, 7, b, 10, pair.in(SOON), into(answers));
            pair.mesh[0].receive(1, 7, b, 30, pair.in(SOON), into(answers));
            pair.step();
            assertEquals(
                    "receive of 10 bytes from rank 1: a message of 20 bytes came",
                    answers.get(0).getMessage());
            assertNull(answers.get(1));
        }
    }

    @Test
    void aSilentPeerIsLostWithAllItsOperations() {
        try (Pair pair = new Pair(QUICK)) {
            List<OxbowException> answers = new ArrayList<>();
            pair.mesh[0].receive(1, 7, memory(10), 10, pair.in(SOON), into(answers));
            while (answers.isEmpty()) pair.mesh[0].step();
            assertEquals(ErrorCode.UNAVAILABLE, answers.getFirst().code());
            assertTrue(
                    answers.getFirst().getMessage().matches("rank 1 gave no sign of life for 0\\.[2-9] s"),
                    answers.getFirst().getMessage());
            assertEquals(1, pair.lost.size());
            pair.mesh[0].send(1, 7, memory(1), 1, pair.in(SOON), into(answers));
            pair.mesh[0].step();
            assertEquals(answers.get(0), answers.get(1));
            assertEquals(answers.get(0), pair.mesh[0].loss(1));
        }
    }

    @Test
    void peersThatAreIdleButAliveAreNotLost() {
        try (Pair pair = new Pair(QUICK)) {
            long end = pair.in(1_000_000_000);
            while (pair.in(0) < end) pair.step();
            assertEquals(List.of(), pair.lost);
        }
    }

    @Test
    void aPeerThatLeavesIsLostAtOnceAndItsLastMessageCounts() {
        try (Pair pair = new Pair(MeshConfig.DEFAULT)) {
            List<OxbowException> answers = new ArrayList<>();
            pair.mesh[1].send(0, 1, memory(8), 8, pair.in(SOON), _ -> {});
            pair.mesh[1].close();
            pair.mesh[0].receive(1, 1, memory(8), 8, pair.in(SOON), into(answers));
            pair.mesh[0].receive(1, 2, memory(8), 8, pair.in(SOON), into(answers));
            while (answers.size() < 2) pair.mesh[0].step();
            assertNull(answers.get(0));
            assertEquals("rank 1 left the job", answers.get(1).getMessage());
        }
    }

    @Test
    void whatAPeerSentBeforeItLeftCanBeAskedForAfterwards() {
        try (Pair pair = new Pair(MeshConfig.DEFAULT)) {
            List<OxbowException> answers = new ArrayList<>();
            long sent = memory(8), received = memory(8);
            Memory.putLong(sent, 42);
            for (long tag = 1; tag <= 3; tag++) pair.mesh[1].send(0, tag, tag, sent, 8, pair.in(SOON), _ -> {});
            pair.mesh[1].close();
            while (pair.lost.isEmpty()) pair.mesh[0].step();
            pair.mesh[0].receive(1, 2, received, 8, pair.in(SOON), into(answers));
            pair.mesh[0].receive(1, 2, memory(8), 8, pair.in(SOON), into(answers));
            pair.mesh[0].send(1, 2, sent, 8, pair.in(SOON), into(answers));
            while (answers.size() < 3) pair.mesh[0].step();
            assertEquals(1, answers.stream().filter(e -> e == null).count());
            assertEquals(42, Memory.getLong(received));
            pair.mesh[0].forget(1);
            pair.mesh[0].receive(1, 1, memory(8), 8, pair.in(SOON), into(answers));
            while (answers.size() < 4) pair.mesh[0].step();
            assertEquals("rank 1 left the job", answers.get(3).getMessage());
        }
    }

    @Test
    void messagesNobodyAsksForAreBoundedAndWaitInThePipe() {
        MeshConfig tight = new MeshConfig(Duration.ofMillis(20), Duration.ofMillis(200), 1 << 20, 100_000);
        try (Pair pair = new Pair(tight)) {
            int count = 100, length = 10_000;
            List<OxbowException> sent = new ArrayList<>(), received = new ArrayList<>();
            long a = memory(length), b = memory(length);
            for (int i = 0; i < count; i++) pair.mesh[1].send(0, i, a, length, pair.in(SOON), into(sent));
            long end = pair.in(500_000_000);
            while (pair.in(0) < end) pair.step();
            assertTrue(sent.size() >= 10 && sent.size() <= 12, () -> sent.size() + " were taken");
            assertEquals(List.of(), pair.lost);
            for (int i = 0; i < count; i++) pair.mesh[0].receive(1, i, b, length, pair.in(SOON), into(received));
            while (received.size() < count) pair.step();
            received.forEach(e -> assertNull(e));
            assertEquals(count, sent.size());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1 << 15})
    void messagesThatNeedNoMemoryAreBoundedToo(int length) {
        int count = 1000, bound = 100;
        MeshConfig tight = new MeshConfig(Duration.ofMillis(500), Duration.ofSeconds(60), 1 << 20, bound * 512);
        try (Pair pair = new Pair(tight)) {
            List<OxbowException> received = new ArrayList<>();
            int[] sent = new int[1];
            long a = pair.transports.get(1).allocateShared(1 << 15), b = memory(length);
            for (int i = 0; i < count; i++) pair.mesh[1].send(0, i, a, length, pair.in(SOON), _ -> sent[0]++);
            pair.step();
            assertEquals(bound * 512, pair.mesh[0].held(1));
            assertTrue(sent[0] < count, () -> sent[0] + " were sent");
            for (int i = 0; i < count; i++) pair.mesh[0].receive(1, i, b, length, pair.in(SOON), into(received));
            while (received.size() < count) pair.step();
            received.forEach(e -> assertNull(e));
            assertEquals(0, pair.mesh[0].held(1));
        }
    }

    /** The peer has crashed, which nobody can see while nothing is read from it. */
    @Test
    void aReceiveFromAPeerThatIsHeldBackEndsAtItsDeadline() {
        MeshConfig tight = new MeshConfig(Duration.ofMillis(500), Duration.ofSeconds(5), 1 << 20, 2000);
        try (Simulation simulation = new Simulation(1, 2, Conditions.GOOD)) {
            Mesh[] mesh = new Mesh[2];
            for (int r = 0; r < 2; r++) {
                Mesh m = new Mesh(simulation.node(r), tight, (_, _) -> {}, (_, _, _) -> {});
                mesh[r] = m;
                simulation.setStep(r, () -> {
                    while (m.step()) {}
                    m.transport().await(m.idleNanos());
                    return false;
                });
            }
            List<OxbowException> answers = new ArrayList<>();
            long in30 = simulation.node(0).nanoTime() + SOON, a = memory(1000);
            for (int i = 0; i < 10; i++) mesh[1].send(0, 1, a, 1000, in30, _ -> {});
            mesh[1].send(0, 2, a, 10, in30, _ -> {});
            mesh[0].receive(1, 2, memory(10), 10, in30, into(answers));
            simulation.after(Duration.ofSeconds(1), () -> simulation.crash(1));
            simulation.pass(Duration.ofSeconds(29));
            assertEquals(List.of(), answers);
            simulation.pass(Duration.ofSeconds(2));
            assertEquals(
                    "receive of 10 bytes from rank 1: 0 of them had moved when the deadline passed; nothing is read from"
                            + " it, since it sent a message of 1,000 bytes that nobody asks for when 1,512 were held",
                    answers.getFirst().getMessage());
            mesh[0].close();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 100, 1 << 15})
    void forgettingLetsALinkThatIsHeldBackGoOn(int length) {
        MeshConfig tight = new MeshConfig(Duration.ofMillis(500), Duration.ofSeconds(60), 1 << 20, 2 * (512 + 100));
        try (Pair pair = new Pair(tight)) {
            List<OxbowException> received = new ArrayList<>(), sent = new ArrayList<>();
            long a = pair.transports.get(1).allocateShared(1 << 15), b = memory(8);
            for (int i = 0; i < 10; i++) pair.mesh[1].send(0, 1, 7, a, length, pair.in(SOON), into(sent));
            pair.mesh[1].send(0, 2, a, 8, pair.in(SOON), into(sent));
            pair.mesh[0].receive(1, 2, b, 8, pair.in(SOON), into(received));
            pair.step();
            assertEquals(List.of(), received);
            pair.mesh[0].forget(1);
            pair.step();
            assertNull(received.getFirst());
            assertEquals(11, sent.size());
            assertEquals(0, pair.mesh[0].held(1));
        }
    }

    @Test
    void aSharedMessageThatIsTakenBackDoesNotCountAsHeld() {
        try (Pair pair = new Pair(MeshConfig.DEFAULT)) {
            long a = pair.transports.get(1).allocateShared(1 << 15);
            Operation op = pair.mesh[1].send(0, 1, a, 1 << 15, pair.in(SOON), _ -> {});
            pair.step();
            assertEquals(512, pair.mesh[0].held(1));
            pair.mesh[1].cancel(op, new OxbowException(ErrorCode.CANCELLED, "taken back"));
            pair.step();
            assertEquals(0, pair.mesh[0].held(1));
        }
    }

    @Test
    void aCancelledReceiveLeavesItsMemoryAloneAndTheLinkInOrder() {
        try (Pair pair = new Pair(MeshConfig.DEFAULT)) {
            int length = 40_000; // more than a ring of 16 KB holds
            List<OxbowException> answers = new ArrayList<>();
            long a = memory(length), b = memory(length), c = memory(8);
            var why = new OxbowException(ErrorCode.CANCELLED, "no longer wanted");
            pair.mesh[1].send(0, 1, a, length, pair.in(SOON), _ -> {});
            pair.mesh[1].send(0, 2, a, 8, pair.in(SOON), _ -> {});
            Operation op = pair.mesh[0].receive(1, 1, b, length, pair.in(SOON), into(answers));
            pair.mesh[1].step();
            pair.mesh[0].step();
            pair.mesh[0].cancel(op, why);
            fill(b, length, 3);
            pair.mesh[0].receive(1, 2, c, 8, pair.in(SOON), into(answers));
            while (answers.size() < 2) pair.step();
            check(b, length, 3);
            assertEquals(why, answers.get(0));
            assertNull(answers.get(1));
        }
    }

    @Test
    void aCancelledSendGivesItsMemoryBackAndStillSendsTheTruth() {
        try (Pair pair = new Pair(MeshConfig.DEFAULT)) {
            int length = 40_000; // more than a ring of 16 KB holds
            List<OxbowException> answers = new ArrayList<>();
            long a = memory(length), b = memory(length);
            fill(a, length, 5);
            Operation op = pair.mesh[1].send(0, 1, a, length, pair.in(SOON), into(answers));
            pair.mesh[1].step();
            assertEquals(List.of(), answers);
            pair.mesh[1].cancel(op, new OxbowException(ErrorCode.CANCELLED, "enough"));
            pair.mesh[1].step();
            assertEquals("enough", answers.getFirst().getMessage());
            fill(a, length, 6);
            pair.mesh[0].receive(1, 1, b, length, pair.in(SOON), into(answers));
            while (answers.size() < 2) pair.step();
            check(b, length, 5);
        }
    }

    @Test
    void aMessageInSharedMemoryThatIsTakenBackIsNeverRead() {
        try (Pair pair = new Pair(MeshConfig.DEFAULT)) {
            int length = 1 << 20;
            List<OxbowException> sent = new ArrayList<>(), received = new ArrayList<>();
            long a = pair.transports.get(1).allocateShared(length), b = memory(length);
            Operation op = pair.mesh[1].send(0, 1, a, length, pair.in(SOON), into(sent));
            pair.step();
            assertEquals(List.of(), sent); // lent, until somebody has read it
            pair.mesh[1].cancel(op, new OxbowException(ErrorCode.CANCELLED, "taken back"));
            pair.step();
            assertEquals("taken back", sent.getFirst().getMessage());
            pair.mesh[0].receive(1, 1, b, length, pair.in(SOON), into(received));
            pair.step();
            assertEquals(List.of(), received);
            fill(a, length, 8);
            pair.mesh[1].send(0, 1, a, length, pair.in(SOON), into(sent));
            pair.step();
            assertNull(received.getFirst());
            check(b, length, 8);
        }
    }

    @Test
    void aLoanStaysInPlaceUntilItIsGivenBack() {
        try (Pair pair = new Pair(MeshConfig.DEFAULT)) {
            List<OxbowException> lent = new ArrayList<>(), borrowed = new ArrayList<>();
            long a = pair.transports.get(1).allocateShared(256);
            Operation loan = pair.mesh[0].borrow(1, 1, 256, pair.in(SOON), into(borrowed));
            pair.mesh[1].lend(0, 0, 1, a, 256, pair.in(SOON), into(lent));
            pair.step();
            assertNull(borrowed.getFirst());
            assertEquals(List.of(), lent);
            fill(a, 256, 3);
            check(loan.address(), 256, 3); // what the owner has changed since
            assertTrue(pair.mesh[0].giveBack(loan));
            pair.step();
            assertNull(lent.getFirst());
            assertFalse(pair.mesh[0].giveBack(loan));
        }
    }

    @Test
    void aLoanThatIsTakenBackEndsAndIsToldFromOneThatWasGivenBack() {
        try (Pair pair = new Pair(MeshConfig.DEFAULT)) {
            List<OxbowException> lent = new ArrayList<>(), borrowed = new ArrayList<>();
            long a = pair.transports.get(1).allocateShared(256);
            Operation loan = pair.mesh[0].borrow(1, 1, 256, pair.in(SOON), into(borrowed));
            Operation sent = pair.mesh[1].lend(0, 0, 1, a, 256, pair.in(SOON), into(lent));
            pair.step();
            pair.mesh[1].cancel(sent, new OxbowException(ErrorCode.CANCELLED, "taken back"));
            pair.step();
            assertEquals("taken back", lent.getFirst().getMessage());
            assertFalse(pair.mesh[0].giveBack(loan));
        }
    }

    @Test
    void aLoanOfMemoryThatIsNotSharedIsACopy() {
        try (Pair pair = new Pair(MeshConfig.DEFAULT)) {
            List<OxbowException> lent = new ArrayList<>(), borrowed = new ArrayList<>();
            long a = memory(1000);
            fill(a, 1000, 5);
            pair.mesh[1].lend(0, 0, 1, a, 1000, pair.in(SOON), into(lent));
            Operation early = pair.mesh[0].borrow(1, 2, 1000, pair.in(SOON), into(borrowed));
            pair.mesh[1].lend(0, 0, 2, a, 1000, pair.in(SOON), into(lent));
            pair.step();
            Operation late = pair.mesh[0].borrow(1, 1, 1000, pair.in(SOON), into(borrowed));
            pair.step();
            assertEquals(2, lent.size());
            assertEquals(2, borrowed.size());
            fill(a, 1000, 6);
            check(early.address(), 1000, 5);
            check(late.address(), 1000, 5);
            assertTrue(pair.mesh[0].giveBack(early));
            // the other one goes with the mesh
        }
    }

    @Test
    void aSinkThatFailsEndsItsReceiveOnly() {
        try (Pair pair = new Pair(MeshConfig.DEFAULT)) {
            List<OxbowException> answers = new ArrayList<>();
            long a = memory(1000);
            pair.mesh[1].send(0, 1, a, 1000, pair.in(SOON), _ -> {});
            pair.mesh[1].send(0, 1, a, 1000, pair.in(SOON), _ -> {});
            Sink bad = (_, _, _) -> {
                throw new IllegalStateException("no room");
            };
            pair.mesh[0].receive(1, 1, 1000, bad, pair.in(SOON), into(answers));
            pair.mesh[0].receive(1, 1, memory(1000), 1000, pair.in(SOON), into(answers));
            pair.step();
            assertEquals(
                    "receive of 1,000 bytes from rank 1: java.lang.IllegalStateException: no room",
                    answers.get(0).getMessage());
            assertNull(answers.get(1));
        }
    }

    @Test
    void bytesThatAreNoFramesEndTheLink() {
        try (Pair pair = new Pair(MeshConfig.DEFAULT)) {
            byte[] text = "GET / HTTP/1.1\r\nHost: example\r\nAccept: everything, really everything\r\n\r\n"
                    .getBytes(StandardCharsets.US_ASCII);
            long memory = memory(text.length);
            for (int i = 0; i < text.length; i++) Memory.putByte(memory + i, text[i]);
            pair.transports.get(1).link(0).write(memory, text.length);
            pair.transports.get(1).link(0).flush();
            pair.mesh[0].step();
            assertEquals(
                    List.of("1: rank 1 sent a frame that begins with 0x20544547: it does not keep to the protocol"),
                    pair.lost);
        }
    }

    @Test
    void closingEndsWhatIsPending() {
        List<OxbowException> answers = new ArrayList<>();
        Pair pair = new Pair(MeshConfig.DEFAULT);
        pair.mesh[0].receive(1, 1, memory(8), 8, pair.in(SOON), into(answers));
        pair.close();
        assertEquals(ErrorCode.CANCELLED, answers.getFirst().code());
        var e = assertThrows(OxbowException.class, () -> pair.mesh[0].step());
        assertEquals("Mesh: rank 0 has closed it", e.getMessage());
    }
}
