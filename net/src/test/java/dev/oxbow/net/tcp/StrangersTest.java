package dev.oxbow.net.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.net.HostPort;
import dev.oxbow.net.MemoryStore;
import dev.oxbow.net.Token;
import dev.oxbow.net.tcp.Introduction.Identity;
import dev.oxbow.net.tcp.Introduction.Purpose;
import dev.oxbow.tensor.Memory;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bytes of somebody who does not belong to the job, on every port that a rank opens. */
@Timeout(300)
final class StrangersTest {
    private static final Duration PATIENCE = Duration.ofMillis(300);

    private final BlockingQueue<String> log = new LinkedBlockingQueue<>();

    /** What a stranger sends, whether it then closes, and what the log says about it. */
    private record Stranger(byte[] bytes, boolean closes, String reason) {}

    private static List<Stranger> strangers() {
        byte[] random = new byte[100_000];
        new Random(1).nextBytes(random);
        byte[] hello = hello(Ranks.TOKEN, "oxbow", 1, 2);
        byte[] huge = new byte[64];
        Arrays.fill(huge, (byte) 0xff);
        byte[] version = hello.clone();
        version[11] = 9;
        byte[] tls = {0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, (byte) 0xfc, 0x03, 0x03};
        return List.of(
                new Stranger(random, false, "it does not speak Oxbow's protocol: the first bytes are"),
                new Stranger(huge, false, "the first bytes are ff ff ff ff"),
                new Stranger("GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII), false, "HTTP"),
                new Stranger(tls, false, "it speaks TLS, and this port does not"),
                new Stranger(version, false, "it speaks version 9 of the protocol, this is version 1"),
                new Stranger(Arrays.copyOf(hello, 50), true, "it closed the connection after 50 bytes"),
                new Stranger(new byte[0], true, "it closed the connection"),
                new Stranger(hello, false, "it did not introduce itself in time"),
                new Stranger(Arrays.copyOf(hello, 5), false, "it did not introduce itself in time"),
                new Stranger(new byte[0], false, "it did not introduce itself in time"));
    }

    private static byte[] hello(Token token, String job, int rank, int size) {
        TcpConfig config = TcpConfig.LOOPBACK.withToken(token).withJob(job);
        return Introduction.connecting(Purpose.NETWORK, Identity.of(rank, size, config), 0)
                .output();
    }

    /** Two ranks that give whoever comes little time; what that said of a slow one of their own does not count. */
    private List<Network> form(MemoryStore store, boolean tls) {
        List<Network> ranks = Ranks.form(store, 2, Ranks.config(tls).withHandshake(PATIENCE), log::add);
        log.clear();
        return ranks;
    }

    @Test
    void strangersAreTurnedAwayFromAFormedNetworkWithOneLineEach() throws Exception {
        MemoryStore store = new MemoryStore();
        List<Network> ranks = form(store, false);
        HostPort port = HostPort.parse(new String(store.find("tcp/oxbow/0").orElseThrow()));
        try (Serving _ = new Serving(ranks.getFirst())) {
            for (Stranger stranger : strangers()) assertTurnedAway(port, stranger);
            assertIntruder(
                    port, Ranks.config(false).withToken(Token.of("guess")), 1, 2, "the tokens differ: rank 1 of 2");
            assertIntruder(port, Ranks.config(false).withJob("other"), 1, 2, "the jobs differ: rank 1 of 2");
            assertIntruder(port, Ranks.config(false), 2, 3, "the sizes of the jobs differ: rank 2 of 3");
            assertIntruder(port, Ranks.config(false), 0, 2, "that rank has no place in this job: rank 0 of 2");
            assertIntruder(port, Ranks.config(false), -5, 2, "that rank has no place in this job: rank -5 of 2");
            assertIntruder(port, Ranks.config(false), 1, 2, "that rank has already joined: rank 1 of 2");
        }
        assertUnharmed(ranks);
    }

    @Test
    void strangersAreTurnedAwayByARankThatNeverWaits() throws Exception {
        MemoryStore store = new MemoryStore();
        List<Network> ranks = form(store, false);
        HostPort port = HostPort.parse(new String(store.find("tcp/oxbow/0").orElseThrow()));
        try (Serving _ = new Serving(ranks.getFirst(), Network::poll)) {
            for (Stranger stranger : strangers()) assertTurnedAway(port, stranger);
        }
        assertUnharmed(ranks);
    }

    @Test
    void strangersDoNotKeepANetworkFromForming() throws Exception {
        MemoryStore store = new MemoryStore();
        List<Socket> open = new ArrayList<>();
        TcpConfig config = Ranks.config(false);
        List<Network> ranks = Ranks.onThreads(2, rank -> () -> {
            if (rank == 1) {
                HostPort port = HostPort.parse(new String(store.get("tcp/oxbow/0", Ranks.DEADLINE)));
                for (Stranger stranger : strangers()) {
                    Socket socket = new Socket(port.host(), port.port());
                    open.add(socket);
                    socket.getOutputStream().write(stranger.bytes);
                    if (stranger.closes) socket.close();
                }
                // more silent ones than are kept waiting
                for (int i = 0; i < 200; i++) open.add(new Socket(port.host(), port.port()));
            }
            return Network.join(store, rank, 2, config, Ranks.DEADLINE, log::add);
        });
        for (Socket socket : open) socket.close();
        assertUnharmed(ranks);
    }

    @Test
    void strangersAreTurnedAwayFromATlsPort() throws Exception {
        MemoryStore store = new MemoryStore();
        List<Network> ranks = form(store, true);
        HostPort port = HostPort.parse(new String(store.find("tcp/oxbow/0").orElseThrow()));
        try (Serving _ = new Serving(ranks.getFirst())) {
            for (Stranger s : strangers()) assertTurnedAway(port, new Stranger(s.bytes, s.closes, "rank 0 turned"));
        }
        assertUnharmed(ranks);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void strangersAreTurnedAwayFromAStore(boolean tls) throws Exception {
        TcpConfig config = Ranks.config(tls).withHandshake(PATIENCE);
        try (TcpStore store = TcpStore.serve(new HostPort("127.0.0.1", 0), 2, config, log::add)) {
            for (Stranger s : strangers()) {
                boolean network = s.bytes.length > 8 && s.bytes[0] == 'O';
                assertTurnedAway(
                        store.address(), tls || network ? new Stranger(s.bytes, s.closes, "store: rank 0 turned") : s);
            }
            try (TcpStore client = TcpStore.connect(store.address(), 1, 2, config, Ranks.DEADLINE)) {
                client.put("a", new byte[] {1});
            }
            assertEquals(1, store.find("a").orElseThrow()[0]);
        }
    }

    @Test
    void theLineGoesToTheLogAsAWarning() throws Exception {
        MemoryStore store = new MemoryStore();
        PrintStream before = System.err;
        var captured = new ByteArrayOutputStream();
        System.setErr(new PrintStream(captured, true, StandardCharsets.UTF_8));
        try (Network alone = Network.join(store, 0, 1, Ranks.config(false), Ranks.DEADLINE)) {
            HostPort port = HostPort.parse(new String(store.find("tcp/oxbow/0").orElseThrow()));
            try (Serving _ = new Serving(alone);
                    Socket socket = new Socket(port.host(), port.port())) {
                socket.getOutputStream().write("HEAD / HTTP/1.0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                assertEquals(-1, socket.getInputStream().read());
            }
        } finally {
            System.setErr(before);
        }
        String text = captured.toString(StandardCharsets.UTF_8);
        assertEquals(1, text.lines().count(), text);
        assertTrue(text.contains("WARN dev.oxbow.net.tcp.Network - tcp: rank 0 turned 127.0.0.1:"), text);
        assertTrue(text.contains("away: it speaks HTTP"), text);
    }

    /** Steps a network as a mesh would, until it is closed. */
    private static final class Serving implements AutoCloseable {
        private final AtomicBoolean stop = new AtomicBoolean();
        private final Network network;
        private final Thread thread;

        Serving(Network network) {
            this(network, n -> n.await(1_000_000_000));
        }

        Serving(Network network, Consumer<Network> step) {
            this.network = network;
            thread = Thread.ofPlatform().start(() -> {
                while (!stop.get()) step.accept(network);
            });
        }

        @Override
        public void close() {
            stop.set(true);
            network.wakeUp();
            try {
                thread.join();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    private void assertTurnedAway(HostPort port, Stranger stranger) throws IOException {
        log.clear();
        try (Socket socket = new Socket(port.host(), port.port())) {
            socket.setSoTimeout(10_000);
            try {
                socket.getOutputStream().write(stranger.bytes);
                if (stranger.closes) socket.shutdownOutput();
                socket.getInputStream().readAllBytes();
            } catch (SocketException _) {
                // reset instead of closed, which is as good
            }
        }
        assertLine(stranger.reason);
    }

    /** Somebody who knows the protocol, but not what belongs to this job. */
    private void assertIntruder(HostPort port, TcpConfig config, int rank, int size, String reason) throws IOException {
        log.clear();
        try (Socket socket = new Socket(port.host(), port.port())) {
            socket.setSoTimeout(10_000);
            var introduction = Introduction.connecting(Purpose.NETWORK, Identity.of(rank, size, config), 0);
            try {
                StoreProtocol.introduce(introduction, socket);
                throw new AssertionError("was let in");
            } catch (Refusal e) {
                assertTrue(reason.startsWith(e.getMessage().replace("it turned this rank away: ", "")), e.getMessage());
                assertEquals(-1, socket.getInputStream().read());
            }
        }
        assertLine(reason);
    }

    /** The line may come a little after the connection was closed. */
    private void assertLine(String reason) {
        try {
            String line = String.valueOf(log.poll(10, TimeUnit.SECONDS));
            assertTrue(line.contains(reason), line + " does not contain: " + reason);
            assertTrue(line.contains("127.0.0.1:"), line);
            assertEquals(0, log.size(), log.toString());
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static void assertUnharmed(List<Network> ranks) {
        try (Arena arena = Arena.ofConfined()) {
            long memory = arena.allocate(16, 8).address();
            Memory.putLong(memory, 42);
            assertEquals(8, ranks.get(0).link(1).write(memory, 8));
            assertTrue(ranks.get(0).link(1).flush());
            long got = 0;
            while (got < 8) {
                got += ranks.get(1).link(0).read(memory + 8 + got, 8 - got);
                if (got < 8) ranks.get(1).await(1_000_000_000);
            }
            assertEquals(42, Memory.getLong(memory + 8));
        }
        ranks.forEach(Network::close);
    }
}
