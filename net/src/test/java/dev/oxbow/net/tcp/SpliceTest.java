package dev.oxbow.net.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.net.MemoryStore;
import dev.oxbow.net.Mesh;
import dev.oxbow.net.MeshConfig;
import dev.oxbow.net.Operation;
import dev.oxbow.tensor.Buffer;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.OxbowException;
import java.io.File;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages whose pages go to the peer without a copy; the first long one of a link is always one. */
@Timeout(300)
@EnabledOnOs(OS.LINUX)
@DisabledIfSystemProperty(
        named = "oxbow.fence",
        matches = ".+",
        disabledReason = "fenced blocks are not lent to sockets")
final class SpliceTest {
    private static final long SOON = 30_000_000_000L;
    private static final int FITS = 100_000;
    private static final int TOO_LONG = 5_000_000;
    private static final OxbowException WHY = new OxbowException(ErrorCode.CANCELLED, "no longer wanted");

    private final MemoryPool pool = MemoryPool.shared();
    private final Buffer from = pool.allocate(8 << 20, "test");
    private final Buffer to = pool.allocate(8 << 20, "test");
    private final List<Network> ranks = Ranks.form(new MemoryStore(), 2, Ranks.config(false), _ -> {});
    private final Mesh sender = mesh(0);
    private final Mesh receiver = mesh(1);
    private final List<OxbowException> sent = new ArrayList<>();
    private final List<OxbowException> received = new ArrayList<>();
    private boolean senderLeft;

    private Mesh mesh(int rank) {
        return new Mesh(ranks.get(rank), MeshConfig.DEFAULT, (_, _) -> {}, (_, _, _) -> {});
    }

    @AfterEach
    void close() {
        sender.close();
        receiver.close();
        from.release();
        to.release();
    }

    @ParameterizedTest
    @CsvSource({
        "0, 65536",
        "0, 131072",
        "64, 65536",
        "1, 65537",
        "4095, 70001",
        "4032, 300003",
        "0, 5000000",
        "64, 5000000"
    })
    void theFirstLongMessageIsNotCopiedAndEndsWhenItHasBeenRead(int offset, int length) {
        long at = from.address() + offset;
        fill(at, length, 1);
        send(at, length);
        for (int i = 0; i < 1000; i++) sender.step();
        assertEquals(List.of(), sent);
        receive(length);
        check(length, 1);
        while (sent.isEmpty()) step();
        assertNull(sent.getFirst());
    }

    @Test
    void messagesFollowEachOtherWhicheverWayTheyGo() {
        Random random = new Random(3);
        for (int i = 0; i < 300; i++) {
            int length = 1 + random.nextInt(1 << random.nextInt(1, 20)), offset = random.nextInt(5000);
            fill(from.address() + offset, length, i);
            send(from.address() + offset, length);
            receive(length);
            check(length, i);
            while (sent.isEmpty()) step();
            assertNull(sent.removeFirst());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {FITS, TOO_LONG})
    void aSendThatIsTakenBackGivesItsMemoryBackAndStillSendsTheTruth(int length) {
        fill(from.address() + 64, length, 1);
        Operation op = send(from.address() + 64, length);
        for (int i = 0; i < 10; i++) sender.step();
        sender.cancel(op, WHY);
        sender.step();
        assertEquals(List.of(WHY), sent);
        fill(from.address(), 8 << 20, 2);
        receive(length);
        check(length, 1);
    }

    @Test
    void aSenderThatLeavesMayChangeItsMemoryBeforeItIsRead() {
        fill(from.address(), FITS, 1);
        send(from.address(), FITS);
        sender.step();
        sender.close();
        senderLeft = true;
        assertEquals(ErrorCode.CANCELLED, sent.getFirst().code());
        fill(from.address(), 8 << 20, 2);
        receive(FITS);
        check(FITS, 1);
    }

    @Test
    void aSendEndsWithItsPeer() {
        send(from.address(), FITS);
        sender.step();
        receiver.close();
        while (sent.isEmpty()) sender.step();
        assertEquals(ErrorCode.UNAVAILABLE, sent.getFirst().code());
        assertTrue(
                sent.getFirst().getMessage().startsWith("rank 1 at "),
                sent.getFirst().getMessage());
        fill(from.address(), 8 << 20, 2);
    }

    /** The bytes of a receive that is taken back are read all the same, and so the sender has its memory back. */
    @Test
    void aReceiveThatIsTakenBackEndsTheSend() {
        send(from.address(), TOO_LONG);
        Operation op = receiver.receive(0, 7, to.address(), TOO_LONG, in(receiver), received::add);
        for (int i = 0; i < 10; i++) step();
        receiver.cancel(op, WHY);
        while (sent.isEmpty()) step();
        assertNull(sent.getFirst());
        assertEquals(List.of(WHY), received);
    }

    @Test
    void pipesAreClosedWithTheLink() {
        int before = new File("/proc/self/fd").list().length;
        List<Network> others = Ranks.form(new MemoryStore(), 2, Ranks.config(false), _ -> {});
        try (Mesh a = new Mesh(others.get(0), MeshConfig.DEFAULT, (_, _) -> {}, (_, _, _) -> {});
                Mesh b = new Mesh(others.get(1), MeshConfig.DEFAULT, (_, _) -> {}, (_, _, _) -> {})) {
            int[] left = {2};
            a.send(1, 7, from.address(), FITS, in(a), _ -> left[0]--);
            b.receive(0, 7, to.address(), FITS, in(b), _ -> left[0]--);
            while (left[0] > 0) if (!(a.step() | b.step())) Thread.onSpinWait();
        }
        assertEquals(before, new File("/proc/self/fd").list().length);
    }

    private Operation send(long address, long length) {
        return sender.send(1, 7, address, length, in(sender), sent::add);
    }

    private void receive(long length) {
        Memory.zero(to.address(), to.size());
        receiver.receive(0, 7, to.address(), length, in(receiver), received::add);
        while (received.isEmpty()) step();
        assertNull(received.removeFirst());
    }

    private void step() {
        if (!senderLeft) sender.step();
        receiver.step();
    }

    private static long in(Mesh mesh) {
        return mesh.transport().nanoTime() + SOON;
    }

    private static void fill(long at, int length, int seed) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        for (int i = 0; i < length; i++) Memory.putByte(at + i, bytes[i]);
    }

    private void check(int length, int seed) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        for (int i = 0; i < length; i++)
            if (bytes[i] != Memory.getByte(to.address() + i)) throw new AssertionError("byte " + i + " of " + length);
    }
}
