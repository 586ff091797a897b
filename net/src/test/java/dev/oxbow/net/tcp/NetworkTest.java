package dev.oxbow.net.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.net.FileStore;
import dev.oxbow.net.HostPort;
import dev.oxbow.net.Link;
import dev.oxbow.net.MemoryStore;
import dev.oxbow.net.Store;
import dev.oxbow.net.Token;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.OxbowException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(300)
final class NetworkTest {
    private static final long SECOND = 1_000_000_000;

    private final Queue<String> log = new ConcurrentLinkedQueue<>();
    private long before;

    @BeforeEach
    void count() {
        before = MemoryPool.shared().bytesInUse();
    }

    @AfterEach
    void nothingLeaked() {
        assertTrue(MemoryPool.shared().bytesInUse() <= before, "memory is given back");
    }

    @ParameterizedTest
    @CsvSource({"1,false", "2,false", "3,false", "7,false", "1,true", "2,true", "4,true"})
    void everyRankReachesEveryOther(int size, boolean tls) {
        List<Network> ranks = form(size, Ranks.config(tls));
        try (Arena arena = Arena.ofConfined()) {
            long memory = arena.allocate(16, 8).address();
            for (int from = 0; from < size; from++) {
                assertEquals(from, ranks.get(from).rank());
                assertEquals(size, ranks.get(from).size());
                for (int to = 0; to < size; to++) {
                    if (from == to) continue;
                    Memory.putLong(memory, 1000L * from + to);
                    Link out = ranks.get(from).link(to), in = ranks.get(to).link(from);
                    assertSame(out, ranks.get(from).link(to));
                    assertTrue(out.peer().startsWith("rank " + to + " at 127.0.0.1:"), out.peer());
                    assertEquals(8, out.write(memory, 8));
                    assertTrue(out.flush());
                    receive(ranks.get(to), in, memory + 8, 8);
                    assertEquals(1000L * from + to, Memory.getLong(memory + 8));
                }
            }
        }
        close(ranks);
        assertEquals(List.of(), List.copyOf(log));
    }

    @Test
    void whatIsTooShortToBeTakenIsLengthenedInPlace() {
        List<Network> ranks = form(2, Ranks.config(false));
        Link out = ranks.get(0).link(1), in = ranks.get(1).link(0);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment sent = arena.allocate(200_000);
            for (int i = 0; i < sent.byteSize(); i++) sent.set(Memory.BYTE, i, (byte) (i % 251));
            out.write(sent.address(), 75);
            out.flush();
            while (in.available(64) < 75) ranks.get(1).await(SECOND);
            in.skip(64);
            assertEquals(11, in.available());
            assertEquals(11, in.available(64));
            assertEquals(11, in.available(11));
            for (long n = 75; n < sent.byteSize(); n += out.write(sent.address() + n, sent.byteSize() - n)) {}
            while (in.available(100_000) < 100_000) ranks.get(1).await(SECOND);
            MemorySegment come = Memory.ALL.asSlice(in.address(), in.available());
            assertEquals(-1, come.mismatch(sent.asSlice(64, come.byteSize())));
            assertEquals(come.byteSize(), in.available(64));
            in.skip(come.byteSize());
            out.write(sent.address(), 11);
            out.flush();
            long left = sent.byteSize() - 64 - come.byteSize() + 11;
            while (in.available((int) left) < left) ranks.get(1).await(SECOND);
            in.skip(left - 11);
            ranks.get(0).close();
            assertEquals(11, in.available(64), "what came before the end is there first");
            in.skip(11);
            assertThrows(OxbowException.class, () -> {
                while (in.available(64) == 0) ranks.get(1).await(SECOND);
            });
        }
        close(ranks);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void bytesArriveInOrderWhateverTheSizesOfWritesAndReads(boolean tls) {
        List<Network> ranks = form(2, Ranks.config(tls));
        for (long seed = 1; seed <= 3; seed++) transfer(ranks, new Random(seed), "seed " + seed);
        close(ranks);
    }

    /** Both directions at once, in one thread, with all ways to write and to read. */
    private static void transfer(List<Network> ranks, Random random, String seed) {
        int total = 3_000_000 + random.nextInt(1_000_000);
        try (Arena arena = Arena.ofConfined()) {
            long[] source = new long[2], target = new long[2];
            int[] written = new int[2], read = new int[2];
            for (int r = 0; r < 2; r++) {
                source[r] = arena.allocate(total, 64).address();
                target[r] = arena.allocate(total, 64).address();
                byte[] bytes = new byte[total];
                random.nextBytes(bytes);
                MemorySegment.copy(bytes, 0, Memory.ALL, Memory.BYTE, source[r], total);
            }
            while (read[0] < total || read[1] < total) {
                for (int r = 0; r < 2; r++) {
                    Link link = ranks.get(r).link(1 - r);
                    written[r] += (int) link.write(source[r] + written[r], some(random, total - written[r]));
                    if (random.nextInt(3) == 0 || written[r] == total) link.flush();
                    if (random.nextBoolean()) {
                        read[r] += (int) link.read(target[r] + read[r], some(random, total - read[r]));
                    } else {
                        int n = some(random, (int) Math.min(link.available(), total - read[r]));
                        Memory.copy(link.address(), target[r] + read[r], n);
                        link.skip(n);
                        read[r] += n;
                    }
                }
            }
            for (int r = 0; r < 2; r++) {
                assertEquals(
                        -1,
                        Memory.ALL.asSlice(source[r], total).mismatch(Memory.ALL.asSlice(target[1 - r], total)),
                        seed);
            }
        }
    }

    private static int some(Random random, int most) {
        return most == 0 ? 0 : Math.min(most, 1 + random.nextInt(1 << 1 + random.nextInt(22)));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatWasFlushedArrivesBeforeTheEnd(boolean tls) {
        List<Network> ranks = form(2, Ranks.config(tls));
        try (Arena arena = Arena.ofConfined()) {
            long memory = arena.allocate(200_000, 64).address();
            Memory.putLong(memory + 99_992, 77);
            Link out = ranks.get(1).link(0), in = ranks.get(0).link(1);
            // bytes that rank 1 never reads must not take back what it has sent
            ranks.get(0).link(1).write(memory, 100);
            ranks.get(0).link(1).flush();
            for (long sent = 0; sent < 100_000; ) sent += out.write(memory + sent, 100_000 - sent);
            assertTrue(out.flush());
            ranks.get(1).close();
            receive(ranks.get(0), in, memory + 100_000, 100_000);
            assertEquals(77, Memory.getLong(memory + 199_992));
            var e = assertThrows(OxbowException.class, () -> receive(ranks.get(0), in, memory, 1));
            assertEquals(ErrorCode.UNAVAILABLE, e.code());
            assertEquals(in.peer() + " closed the connection", e.getMessage());
        }
        close(ranks);
    }

    @Test
    void aFullPipeTakesNothingAndSaysWhenItHasRoom() {
        List<Network> ranks = form(2, Ranks.config(false));
        try (Arena arena = Arena.ofConfined()) {
            long memory = arena.allocate(1 << 20, 64).address();
            Link out = ranks.get(0).link(1), in = ranks.get(1).link(0);
            long sent = 0, n = 1;
            while (n > 0) { // what was written may still be on its way from one of the system's buffers to the other
                for (; n > 0; sent += n) n = out.write(memory, 1 << 20);
                ranks.get(0).await(1);
                sent += n = out.write(memory, 1 << 20);
            }
            long received = 0;
            while (received < sent) received += in.read(memory, Math.min(1 << 20, sent - received));
            long start = System.nanoTime();
            ranks.get(0).await(60 * SECOND);
            assertTrue(System.nanoTime() - start < 30 * SECOND);
            assertTrue(out.write(memory, 1 << 20) > 0);
        }
        close(ranks);
    }

    @Test
    void bytesThatNobodyWantsDoNotKeepARankAwake() {
        List<Network> ranks = form(2, Ranks.config(false));
        try (Arena arena = Arena.ofConfined()) {
            long memory = arena.allocate(16, 8).address();
            Link out = ranks.get(0).link(1);
            out.write(memory, 8);
            out.flush();
            ranks.get(1).await(10 * SECOND);
            long start = System.nanoTime();
            ranks.get(1).await(SECOND / 10);
            assertTrue(System.nanoTime() - start >= SECOND / 20, "the second wait did not wait");
            receive(ranks.get(1), ranks.get(1).link(0), memory, 8);
            out.write(memory, 8);
            out.flush();
            start = System.nanoTime();
            ranks.get(1).await(60 * SECOND);
            assertTrue(System.nanoTime() - start < 30 * SECOND, "bytes after the first ones were not noticed");
        }
        close(ranks);
    }

    @Test
    void aWakeUpEndsTheNextWait() {
        List<Network> ranks = form(1, Ranks.config(false));
        ranks.getFirst().wakeUp();
        long start = System.nanoTime();
        ranks.getFirst().await(60 * SECOND);
        assertTrue(System.nanoTime() - start < 30 * SECOND);
        close(ranks);
    }

    @Test
    void theDeadlineNamesTheRanksThatDidNotJoin() throws Exception {
        try (Socket deaf = Ranks.deaf()) {
            String dead = "127.0.0.1:" + deaf.getLocalPort();
            List<String> errors;
            int seconds = 1;
            do { // the machine may have no time for rank 2
                int first = seconds;
                MemoryStore store = new MemoryStore();
                store.put("tcp/oxbow/1", dead.getBytes());
                errors = Ranks.onThreads(2, i -> () -> {
                    // rank 2 goes on for longer, so that rank 0 does not see it leave
                    Duration deadline = Duration.ofSeconds(i == 0 ? first : 2 * first);
                    return fails(ErrorCode.DEADLINE_EXCEEDED, store, 2 * i, 4, deadline);
                });
                seconds *= 2;
            } while (!errors.get(0).contains("rank 2 has joined") && seconds < 60);
            assertEquals(
                    "tcp: rank 0 of 4 waited PT" + seconds / 2 + "S for job oxbow, but some have not joined:"
                            + " rank 1 listens at " + dead + " and has not connected;"
                            + " rank 2 has joined rank 0 but not all the others;"
                            + " rank 3 has put no address in the store and has not connected",
                    errors.get(0));
            assertTrue(
                    errors.get(1)
                            .matches("tcp: rank 2 of 4 waited PT" + seconds + "S for job oxbow, but some have not"
                                    + " joined: rank 1 at " + dead + ": Connection refused, after [0-9]+ attempts;"
                                    + " rank 3 has put no address in the store and has not connected"),
                    errors.get(1));
        }
    }

    @Test
    void aRankThatLeavesWhileOthersWaitEndsTheWait() {
        MemoryStore store = new MemoryStore();
        List<String> errors = Ranks.onThreads(
                2,
                rank -> () -> rank == 0
                        ? fails(ErrorCode.UNAVAILABLE, store, 0, 3, Ranks.DEADLINE)
                        : fails(ErrorCode.DEADLINE_EXCEEDED, store, 1, 3, Duration.ofSeconds(2)));
        String error = errors.get(0);
        assertTrue(
                error.matches("tcp: rank 1 at 127.0.0.1:[0-9]+ closed the connection before all had joined; .*"),
                error);
        assertTrue(
                error.endsWith("; also not joined: rank 2 has put no address in the store and has not connected"),
                error);
    }

    @Test
    void aRankThatMissesNobodyIsToldWhoIsMissing() {
        MemoryStore store = new MemoryStore();
        TcpConfig config = Ranks.config(false);
        // rank 2 joins ranks 0 and 1 but never says so, as if it could not reach a fourth one
        List<String> errors = Ranks.onThreads(3, rank -> () -> {
            if (rank == 0) return fails(ErrorCode.DEADLINE_EXCEEDED, store, 0, 3, Duration.ofSeconds(2));
            if (rank == 1) return fails(ErrorCode.UNAVAILABLE, store, 1, 3, Ranks.DEADLINE);
            List<Socket> half = new ArrayList<>();
            for (int peer = 0; peer < 2; peer++) {
                HostPort to = HostPort.parse(new String(store.get("tcp/oxbow/" + peer, Ranks.DEADLINE)));
                half.add(new Socket(to.host(), to.port()));
                var me = Introduction.Identity.of(2, 3, config);
                var introduction = Introduction.connecting(Introduction.Purpose.NETWORK, me, peer);
                StoreProtocol.introduce(introduction, half.get(peer));
            }
            for (Socket socket : half) socket.getInputStream().readAllBytes();
            for (Socket socket : half) socket.close();
            return "";
        });
        assertTrue(errors.get(0).endsWith("some have not joined: rank 2 has joined rank 0 but not all the others"));
        assertEquals("tcp: rank 0 gave up (%s) before all had joined".formatted(errors.get(0)), errors.get(1));
    }

    private String fails(ErrorCode code, Store store, int rank, int size, Duration deadline) {
        var e = assertThrows(
                OxbowException.class, () -> Network.join(store, rank, size, Ranks.config(false), deadline, log::add));
        assertEquals(code, e.code(), e.getMessage());
        return e.getMessage();
    }

    @Test
    void aStaleAddressIsReplacedByTheNewOne(@TempDir Path directory) throws Exception {
        try (Store store = new FileStore(directory, "job");
                Socket deaf = Ranks.deaf()) {
            store.put("tcp/oxbow/0", ("127.0.0.1:" + deaf.getLocalPort()).getBytes());
            List<Network> ranks = Ranks.onThreads(3, rank -> () -> {
                // rank 0 comes when the others have begun
                if (rank == 0) store.get("tried", Ranks.DEADLINE);
                if (rank == 2) store.put("tried", new byte[0]);
                return Network.join(store, rank, 3, Ranks.config(false), Ranks.DEADLINE, log::add);
            });
            close(ranks);
        }
        assertFalse(Files.exists(directory.resolve("oxbow-job")));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aRankWithAnotherTokenIsToldAtOnce(boolean tls) {
        TcpConfig zero = Ranks.config(tls), one = zero.withToken(Token.of("another"));
        List<String> errors = Ranks.patiently(
                patience -> {
                    log.clear();
                    MemoryStore store = new MemoryStore();
                    return Ranks.onThreads(2, rank -> () -> {
                        Duration deadline = rank == 0 ? patience : Ranks.DEADLINE;
                        TcpConfig config = rank == 0 ? zero : one;
                        return assertThrows(
                                        OxbowException.class,
                                        () -> Network.join(store, rank, 2, config, deadline, log::add))
                                .getMessage();
                    });
                },
                all -> all.get(0).contains("listens at") && all.get(1).contains("the tokens differ"));
        assertTrue(errors.get(0).contains("rank 1 listens at"), errors.get(0));
        assertTrue(
                errors.get(1)
                        .matches("tcp: rank 1 can not join rank 0 at 127.0.0.1:[0-9]+:"
                                + " it turned this rank away: the tokens differ"),
                errors.get(1));
        assertEquals(1, log.size(), log.toString());
    }

    @Test
    void offLoopbackTlsAndATokenAreNeeded() {
        for (TcpConfig bad : List.of(
                TcpConfig.LOOPBACK,
                TcpConfig.LOOPBACK.withToken(Ranks.TOKEN),
                TcpConfig.LOOPBACK.withTls(Ranks.tls()))) {
            TcpConfig config = bad.withBind("0.0.0.0", 0);
            var e = assertThrows(
                    OxbowException.class, () -> Network.join(new MemoryStore(), 0, 1, config, Ranks.DEADLINE));
            assertEquals(ErrorCode.PERMISSION_DENIED, e.code());
            assertTrue(e.getMessage().startsWith("tcp: bind 0.0.0.0 is not loopback: "), e.getMessage());
            assertTrue(e.getMessage().contains("TcpConfig.trustedNetwork"), e.getMessage());
        }
        MemoryStore store = new MemoryStore();
        store.put("tcp/oxbow/0", "192.0.2.1:4711".getBytes());
        var e = assertThrows(
                OxbowException.class, () -> Network.join(store, 1, 2, Ranks.config(false), Ranks.DEADLINE));
        assertEquals(ErrorCode.PERMISSION_DENIED, e.code());
        assertEquals(
                "tcp: the address of rank 0 192.0.2.1 is not loopback: TLS is required there and missing;"
                        + " set TcpConfig.tls and TcpConfig.token, or TcpConfig.trustedNetwork if everybody on that"
                        + " network may be trusted",
                e.getMessage());
        TcpConfig any = TcpConfig.LOOPBACK.withBind("0.0.0.0", 0).withAdvertise("127.0.0.1");
        close(form(2, any.withTrustedNetwork(true)));
        close(form(2, any.withToken(Ranks.TOKEN).withTls(Ranks.tls())));
    }

    @Test
    void badArgumentsAreErrors() {
        for (int[] bad : new int[][] {{-1, 2}, {2, 2}, {0, 0}}) {
            var e = assertThrows(
                    OxbowException.class,
                    () -> Network.join(new MemoryStore(), bad[0], bad[1], TcpConfig.LOOPBACK, Ranks.DEADLINE));
            assertEquals(ErrorCode.INVALID_ARGUMENT, e.code());
        }
        List<Network> ranks = form(2, Ranks.config(false));
        assertThrows(OxbowException.class, () -> ranks.getFirst().link(0));
        assertThrows(OxbowException.class, () -> ranks.getFirst().link(2));
        close(ranks);
        var e = assertThrows(
                OxbowException.class, () -> ranks.getFirst().link(1).available());
        assertTrue(e.getMessage().endsWith("was closed on this side"), e.getMessage());
    }

    @Test
    void aPortThatIsTakenIsNamed() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            int port = taken.getLocalPort();
            TcpConfig config = Ranks.config(false).withBind("127.0.0.1", port);
            var e = assertThrows(
                    OxbowException.class, () -> Network.join(new MemoryStore(), 0, 1, config, Ranks.DEADLINE));
            assertEquals(
                    "tcp: rank 0 can not listen on 127.0.0.1 port %d: Address already in use".formatted(port),
                    e.getMessage());
        }
    }

    @Test
    void aHundredNetworksLeaveNoOpenFiles() throws Exception {
        close(form(2, Ranks.config(false)));
        long files = openFiles();
        for (int i = 0; i < 50; i++) {
            close(form(2, Ranks.config(false)));
            TcpConfig config = Ranks.config(false).withJob("failing");
            MemoryStore store = new MemoryStore();
            store.put("tcp/failing/0", "127.0.0.1:1".getBytes());
            assertThrows(
                    OxbowException.class, () -> Network.join(store, 1, 2, config, Duration.ofMillis(10), log::add));
        }
        assertEquals(files, openFiles());
    }

    static long openFiles() throws Exception {
        try (var all = Files.list(Path.of("/proc/self/fd"))) {
            return all.count();
        }
    }

    private List<Network> form(int size, TcpConfig config) {
        return Ranks.form(new MemoryStore(), size, config, log::add);
    }

    private static void close(List<Network> ranks) {
        ranks.forEach(Network::close);
    }

    private static void receive(Network network, Link link, long address, long length) {
        long end = System.nanoTime() + 10 * SECOND;
        for (long n = 0; n < length; ) {
            long more = link.read(address + n, length - n);
            n += more;
            if (more == 0) network.await(SECOND);
            assertTrue(System.nanoTime() - end < 0, "only " + n + " of " + length + " bytes came");
        }
    }
}
