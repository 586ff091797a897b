package dev.oxbow.net.tcp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.net.FileStore;
import dev.oxbow.net.HostPort;
import dev.oxbow.net.MemoryStore;
import dev.oxbow.net.RankEnvironment;
import dev.oxbow.net.Store;
import dev.oxbow.net.Token;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(300)
final class StoreTest {
    private static final Duration SHORT = Duration.ofMillis(50);
    private static final HostPort ANY = new HostPort("127.0.0.1", 0);

    @TempDir
    Path directory;

    private final Queue<String> log = new ConcurrentLinkedQueue<>();

    private enum Kind {
        MEMORY,
        FILE,
        TCP,
        TLS
    }

    /** The store as each of three ranks sees it. */
    private List<Store> open(Kind kind) {
        return switch (kind) {
            case MEMORY -> {
                Store shared = new MemoryStore();
                yield List.of(shared, shared, shared);
            }
            case FILE ->
                List.of(
                        new FileStore(directory, "j/1"),
                        new FileStore(directory, "j/1"),
                        new FileStore(directory, "j/1"));
            case TCP, TLS -> {
                TcpConfig config = Ranks.config(kind == Kind.TLS);
                List<Store> all = new ArrayList<>();
                TcpStore served = TcpStore.serve(ANY, 3, config, log::add);
                all.add(served);
                for (int r = 1; r < 3; r++) all.add(TcpStore.connect(served.address(), r, 3, config, Ranks.DEADLINE));
                yield all;
            }
        };
    }

    @ParameterizedTest
    @EnumSource
    void everyRankSeesWhatAnyHasPut(Kind kind) {
        List<Store> stores = open(kind);
        for (int from = 0; from < 3; from++) {
            byte[] value = ("value of " + from).getBytes();
            String key = "tcp/job ä/" + from;
            assertEquals(Optional.empty(), stores.get(0).find(key));
            stores.get(from).put(key, value);
            for (Store s : stores) assertArrayEquals(value, s.get(key, Ranks.DEADLINE));
            stores.get((from + 1) % 3).put(key, new byte[0]);
            for (Store s : stores) assertArrayEquals(new byte[0], s.find(key).orElseThrow());
        }
        stores.forEach(Store::close);
        assertEquals(0, log.size(), log.toString());
    }

    @ParameterizedTest
    @EnumSource
    void aGetWaitsForAPutAndFailsAfterItsTimeout(Kind kind) {
        List<Store> stores = open(kind);
        List<byte[]> got = Ranks.onThreads(3, r -> () -> {
            if (r > 0) return stores.get(r).get("late", Ranks.DEADLINE);
            assertEquals(ErrorCode.DEADLINE_EXCEEDED, fails(() -> stores.get(0).get("never", SHORT)));
            stores.get(0).put("late", new byte[] {7});
            return new byte[] {7};
        });
        for (byte[] g : got) assertArrayEquals(new byte[] {7}, g);
        var e = assertThrows(OxbowException.class, () -> stores.get(1).get("never", SHORT));
        assertTrue(e.getMessage().contains("nobody has put never within PT0.05S"), e.getMessage());
        stores.forEach(Store::close);
    }

    @ParameterizedTest
    @EnumSource
    void countersAddUpWhoeverAdds(Kind kind) {
        List<Store> stores = open(kind);
        Ranks.onThreads(3, r -> () -> {
            for (int i = 0; i < 40; i++) stores.get(r).add("count", r + 1);
            return r;
        });
        assertEquals(40 * 6 - 1, stores.get(2).add("count", -1));
        assertEquals(1, stores.get(1).add("other", 1));
        assertEquals(Optional.empty(), stores.get(1).find("count"));
        stores.forEach(Store::close);
    }

    @ParameterizedTest
    @EnumSource
    void keysAndValuesAreBounded(Kind kind) {
        List<Store> stores = open(kind);
        for (Store s : stores) {
            assertEquals(ErrorCode.INVALID_ARGUMENT, fails(() -> s.put("", new byte[1])));
            assertEquals(ErrorCode.INVALID_ARGUMENT, fails(() -> s.put("k".repeat(257), new byte[1])));
            assertEquals(ErrorCode.INVALID_ARGUMENT, fails(() -> s.put("k", new byte[Store.MAX_VALUE + 1])));
            s.put("k".repeat(256), new byte[Store.MAX_VALUE]);
            assertEquals(Store.MAX_VALUE, s.find("k".repeat(256)).orElseThrow().length);
        }
        stores.forEach(Store::close);
        assertEquals(ErrorCode.UNAVAILABLE, fails(() -> stores.get(0).find("k")));
    }

    @Test
    void aFileStoreLeavesNothingBehind() throws IOException {
        List<Store> stores = open(Kind.FILE);
        stores.get(0).put("../../a", new byte[1]);
        stores.get(1).put("b", new byte[1]);
        stores.get(2).add("c", 1);
        stores.get(0).add("c", 1);
        stores.get(0).close();
        assertEquals(Optional.empty(), stores.get(1).find("../../a"));
        assertEquals(1, stores.get(1).get("b", Ranks.DEADLINE).length);
        assertEquals(3, stores.get(1).add("c", 1));
        stores.get(1).close();
        stores.get(2).close();
        try (var left = Files.list(directory)) {
            assertEquals(0, left.count());
        }
    }

    @Test
    void jobsInOneDirectoryDoNotSeeEachOther() {
        try (Store one = new FileStore(directory, "one");
                Store two = new FileStore(directory, "two")) {
            one.put("k", new byte[1]);
            assertEquals(Optional.empty(), two.find("k"));
        }
    }

    @Test
    void clientsMayStartBeforeTheServer() throws Exception {
        int port = freePort();
        HostPort address = new HostPort("127.0.0.1", port);
        List<String> got = Ranks.onThreads(3, rank -> () -> {
            if (rank > 0) {
                try (Store s = TcpStore.connect(address, rank, 3, Ranks.config(false), Ranks.DEADLINE)) {
                    String value = new String(s.get("k", Ranks.DEADLINE));
                    s.put("done" + rank, new byte[0]);
                    return value;
                }
            }
            assertEquals(
                    ErrorCode.DEADLINE_EXCEEDED,
                    fails(() -> TcpStore.connect(address, 1, 3, Ranks.config(false), SHORT)));
            try (Store s = TcpStore.serve(address, 3, Ranks.config(false), log::add)) {
                s.put("k", "v".getBytes());
                s.get("done1", Ranks.DEADLINE);
                s.get("done2", Ranks.DEADLINE);
            }
            return "v";
        });
        assertEquals(List.of("v", "v", "v"), got);
    }

    @Test
    void aDeadServerIsNamed() throws Exception {
        try (Socket deaf = Ranks.deaf()) {
            HostPort address = new HostPort("127.0.0.1", deaf.getLocalPort());
            var e = assertThrows(
                    OxbowException.class,
                    () -> TcpStore.connect(address, 2, 3, Ranks.config(false), Duration.ofSeconds(1)));
            assertEquals(
                    "store: rank 2 did not reach rank 0 at %s within PT1S: Connection refused".formatted(address),
                    e.getMessage());
        }
        TcpStore served = TcpStore.serve(ANY, 2, Ranks.config(false), log::add);
        Store client = TcpStore.connect(served.address(), 1, 2, Ranks.config(false), Ranks.DEADLINE);
        served.close();
        var e = assertThrows(OxbowException.class, () -> client.get("k", Ranks.DEADLINE));
        assertEquals(ErrorCode.UNAVAILABLE, e.code());
        assertTrue(e.getMessage().contains("rank 0 at " + served.address() + " is gone"), e.getMessage());
        client.close();
    }

    @Test
    void aClientWithAnotherTokenIsToldAtOnce() {
        try (TcpStore served = TcpStore.serve(ANY, 2, Ranks.config(false), log::add)) {
            TcpConfig other = Ranks.config(false).withToken(Token.of("other"));
            var e = assertThrows(
                    OxbowException.class, () -> TcpStore.connect(served.address(), 1, 2, other, Ranks.DEADLINE));
            assertEquals(ErrorCode.UNAUTHENTICATED, e.code());
            assertTrue(e.getMessage().endsWith("it turned this rank away: the tokens differ"), e.getMessage());
        }
    }

    @Test
    void aRequestThatClaimsTooMuchIsDroppedAndTheStoreGoesOn() throws Exception {
        try (TcpStore served = TcpStore.serve(ANY, 2, Ranks.config(false), log::add);
                Socket socket = new Socket("127.0.0.1", served.address().port())) {
            var me = Introduction.Identity.of(1, 2, Ranks.config(false));
            StoreProtocol.introduce(Introduction.connecting(Introduction.Purpose.STORE, me, 0), socket);
            var out = new DataOutputStream(socket.getOutputStream());
            out.writeByte(0);
            out.writeInt(Integer.MAX_VALUE);
            assertEquals(-1, new DataInputStream(socket.getInputStream()).read());
            served.put("k", new byte[1]);
            assertEquals(1, log.size(), log.toString());
            assertTrue(log.peek().contains("a field claims 2147483647 bytes, at most 256 are allowed"), log.peek());
        }
    }

    @Test
    void offLoopbackAStoreNeedsTlsAndAToken() {
        HostPort all = new HostPort("0.0.0.0", 0);
        assertEquals(ErrorCode.PERMISSION_DENIED, fails(() -> TcpStore.serve(all, 2, TcpConfig.LOOPBACK)));
        HostPort far = new HostPort("192.0.2.1", 1);
        assertEquals(ErrorCode.PERMISSION_DENIED, fails(() -> TcpStore.connect(far, 1, 2, TcpConfig.LOOPBACK, SHORT)));
        TcpStore.serve(all, 2, Ranks.config(true)).close();
    }

    @Test
    void theEnvironmentChoosesTheStore() throws Exception {
        TcpConfig config = Ranks.config(false);
        String address = "127.0.0.1:" + freePort();
        var zero = environment(Map.of("OXBOW_RANK", "0", "OXBOW_SIZE", "2", "OXBOW_RENDEZVOUS", address));
        var one = environment(Map.of("OXBOW_RANK", "1", "OXBOW_SIZE", "2", "OXBOW_RENDEZVOUS", address));
        try (Store served = Rendezvous.open(zero, config, SHORT);
                Store client = Rendezvous.open(one, config, Ranks.DEADLINE)) {
            client.put("k", new byte[1]);
            assertTrue(served.find("k").isPresent());
        }
        var file = environment(Map.of("OXBOW_RANK", "0", "OXBOW_SIZE", "2", "OXBOW_RENDEZVOUS", "file:" + directory));
        try (Store store = Rendezvous.open(file, config, SHORT)) {
            assertTrue(store instanceof FileStore);
        }
        assertFalse(
                Rendezvous.open(environment(Map.of()), config, SHORT).find("k").isPresent());
        var nowhere = environment(Map.of("OXBOW_RANK", "0", "OXBOW_SIZE", "2"));
        var e = assertThrows(OxbowException.class, () -> Rendezvous.open(nowhere, config, SHORT));
        assertTrue(
                e.getMessage().contains("OXBOW_* says that there are 2 ranks but not where they meet"), e.getMessage());
    }

    private static RankEnvironment environment(Map<String, String> variables) {
        return RankEnvironment.from(variables);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private static ErrorCode fails(Runnable body) {
        return assertThrows(OxbowException.class, body::run).code();
    }
}
