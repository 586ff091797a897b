package dev.oxbow.collective;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.net.HostPort;
import dev.oxbow.net.MemoryStore;
import dev.oxbow.net.Token;
import dev.oxbow.net.tcp.Network;
import dev.oxbow.net.tcp.TcpConfig;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Bytes of somebody who does not belong to the job, on the ports of ranks that are busy with collectives. */
@Timeout(300)
final class StrangersTest {
    private static final int SIZE = 3;
    private static final long COUNT = 50_000;
    private static final TcpConfig CONFIG = TcpConfig.LOOPBACK
            .withToken(Token.of("the job's secret"))
            .withSocketBuffer(256 << 10)
            .withHandshake(Duration.ofMillis(500));

    private static List<byte[]> strangers() {
        byte[] random = new byte[100_000];
        new Random(1).nextBytes(random);
        byte[] huge = new byte[64];
        Arrays.fill(huge, (byte) 0xff);
        byte[] frame = {'O', 'X', 'M', 1, 1, 0, 0, 0, -1, -1, -1, -1, -1, -1, -1, 127, 0, 0, 0, 0};
        byte[] tls = {0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, (byte) 0xfc, 0x03, 0x03};
        byte[] http = "GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
        return List.of(random, huge, frame, tls, http, Arrays.copyOf(frame, 7), new byte[0]);
    }

    @Test
    void strangersDoNotDisturbARunningGroup() throws Exception {
        MemoryStore store = new MemoryStore();
        List<Network> ranks =
                Wiring.joined(SIZE, rank -> Network.join(store, rank, SIZE, CONFIG, Duration.ofSeconds(30)));
        PrintStream before = System.err;
        var captured = new ByteArrayOutputStream();
        System.setErr(new PrintStream(captured, true, StandardCharsets.UTF_8));
        int expected = 0;
        try (Job job = new Job(ranks, Job.CONFIG)) {
            CountDownLatch stop = new CountDownLatch(1);
            CompletableFuture<List<Integer>> sums = CompletableFuture.supplyAsync(
                    () -> job.run(c -> sumUntil(c, stop)),
                    task -> Thread.ofPlatform().start(task));
            for (int rank = 0; rank < SIZE; rank++) {
                HostPort port = HostPort.parse(
                        new String(store.find("tcp/oxbow/" + rank).orElseThrow()));
                for (byte[] bytes : strangers()) visit(port, bytes);
                expected += strangers().size();
            }
            intrude(store);
            stop.countDown();
            List<Integer> rounds = sums.get();
            assertTrue(rounds.getFirst() > 0);
            for (int n : rounds) assertEquals(rounds.getFirst(), n);
        } finally {
            System.setErr(before);
        }
        List<String> lines = captured.toString(StandardCharsets.UTF_8).lines().toList();
        assertEquals(expected + 1, lines.size(), () -> String.join("\n", lines));
        for (String line : lines) assertTrue(line.contains(" turned 127.0.0.1:"), line);
        assertEquals(
                1,
                lines.stream()
                        .filter(l -> l.contains("the tokens differ: rank 1 of 3"))
                        .count());
        assertEquals(
                SIZE, lines.stream().filter(l -> l.contains("it speaks HTTP")).count());
    }

    /** Sends bytes and waits until the connection is closed from the other side. */
    private static void visit(HostPort port, byte[] bytes) throws IOException {
        try (Socket socket = new Socket(port.host(), port.port())) {
            socket.setSoTimeout(10_000);
            socket.getOutputStream().write(bytes);
            socket.getInputStream().readAllBytes();
        } catch (SocketException e) {
            // reset instead of closed, which is as good
        }
    }

    /** Somebody who knows the protocol and the address of rank 0, but not the token. */
    private static void intrude(MemoryStore store) {
        MemoryStore own = new MemoryStore();
        own.put("tcp/oxbow/0", store.find("tcp/oxbow/0").orElseThrow());
        TcpConfig guess = CONFIG.withToken(Token.of("a guess"));
        var e = assertThrows(OxbowException.class, () -> Network.join(own, 1, SIZE, guess, Duration.ofSeconds(10)));
        assertEquals(ErrorCode.UNAUTHENTICATED, e.code(), e.getMessage());
    }

    /** Sums until one rank is told to stop, which all find in the sum. */
    private static int sumUntil(Communicator c, CountDownLatch stop) {
        List<Float> wrong = new ArrayList<>();
        for (int rounds = 1; ; rounds++) {
            boolean last = c.rank() == 0 && stop.getCount() == 0;
            try (Tensor t = Tensor.zeros(DType.F32, Shape.of(COUNT))) {
                for (long i = 0; i < COUNT; i++) Memory.putFloat(t.address() + 4 * i, c.rank() + i % 5);
                if (last) Memory.putFloat(t.address(), 1000);
                c.world().allReduce(t).await();
                float[] sums = t.floats();
                for (int i = 1; i < COUNT; i++) if (sums[i] != 3 + 3 * (i % 5)) wrong.add(sums[i]);
                assertTrue(wrong.isEmpty(), () -> "wrong sums: " + wrong);
                if (sums[0] >= 1000) return rounds;
            }
        }
    }
}
