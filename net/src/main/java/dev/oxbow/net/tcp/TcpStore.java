package dev.oxbow.net.tcp;

import static dev.oxbow.tensor.ErrorCode.DEADLINE_EXCEEDED;
import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.UNAVAILABLE;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.net.HostPort;
import dev.oxbow.net.MemoryStore;
import dev.oxbow.net.Store;
import dev.oxbow.tensor.OxbowException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BinaryOperator;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A store that rank 0 serves over TCP and the other ranks reach there, with the same proofs as between the ranks.
 * Rank 0 closes it when no rank needs it any more; for {@link Network#join}, when that has returned on rank 0.
 */
public final class TcpStore implements Store {
    private static final Logger LOG = LoggerFactory.getLogger(TcpStore.class);

    /** Rank 0 answers a get after this long at the latest, so that its silence means that it is gone. */
    private static final long SLICE_MILLIS = 200;

    private final HostPort address;
    private final MemoryStore own;
    private final StoreServer server;
    private final StoreClient client;

    private TcpStore(HostPort address, MemoryStore own, StoreServer server, StoreClient client) {
        this.address = address;
        this.own = own;
        this.server = server;
        this.client = client;
    }

    /** Serves the store of a job of {@code size} ranks, on rank 0; port 0 takes any. */
    public static TcpStore serve(HostPort address, int size, TcpConfig config) {
        return serve(address, size, config, LOG::warn);
    }

    static TcpStore serve(HostPort address, int size, TcpConfig config, Consumer<String> strangers) {
        return serve(address, size, config, strangers, (topic, _) -> {
            throw new OxbowException(INVALID_ARGUMENT, "store: nobody answers questions about " + topic);
        });
    }

    /** As {@link #serve}; {@code questions} answers those that ranks {@link #ask}, by topic, on any thread. */
    public static TcpStore answering(HostPort address, int size, TcpConfig config, BinaryOperator<String> questions) {
        return serve(address, size, config, LOG::warn, questions);
    }

    private static TcpStore serve(
            HostPort address,
            int size,
            TcpConfig config,
            Consumer<String> strangers,
            BinaryOperator<String> questions) {
        require(size > 0, INVALID_ARGUMENT, "store: a job has at least 1 rank, got %d", size);
        var bind = new InetSocketAddress(address.host(), address.port());
        require(!bind.isUnresolved(), INVALID_ARGUMENT, "store: there is no host %s", address.host());
        config.checkSafe("the address of the store", bind.getAddress());
        try {
            MemoryStore values = new MemoryStore();
            StoreServer server = new StoreServer(values, address, size, config, strangers, questions);
            return new TcpStore(server.address(), values, server, null);
        } catch (IOException e) {
            throw new OxbowException(
                    UNAVAILABLE, "store: rank 0 can not serve at " + address + ": " + Sockets.why(e), e);
        }
    }

    /** Reaches the store from another rank; tries until the deadline, since ranks start in any order. */
    public static TcpStore connect(HostPort address, int rank, int size, TcpConfig config, Duration deadline) {
        require(
                rank > 0 && rank < size,
                INVALID_ARGUMENT,
                "store: rank %d of %d can not connect: rank 0 serves it to the others",
                rank,
                size);
        return new TcpStore(address, null, null, new StoreClient(address, rank, size, config, deadline));
    }

    /** Where rank 0 serves. */
    public HostPort address() {
        return address;
    }

    @Override
    public void put(String key, byte[] value) {
        Store.check(key, value);
        if (own != null) own.put(key, value);
        else client.ask(new StoreProtocol.Request(StoreProtocol.Verb.PUT, key, 0, value));
    }

    @Override
    public byte[] get(String key, Duration timeout) {
        Store.check(key);
        if (own != null) return own.get(key, timeout);
        long end = System.nanoTime() + timeout.toNanos();
        while (true) {
            long left = Math.max(0, Math.min(SLICE_MILLIS, (end - System.nanoTime()) / 1_000_000));
            var request = new StoreProtocol.Request(StoreProtocol.Verb.GET, key, left, new byte[0]);
            Optional<byte[]> value = client.ask(request);
            if (value.isPresent()) return value.get();
            require(
                    System.nanoTime() - end < 0,
                    DEADLINE_EXCEEDED,
                    "store: nobody has put %s within %s at rank 0 (%s)",
                    key,
                    timeout,
                    address);
        }
    }

    @Override
    public Optional<byte[]> find(String key) {
        Store.check(key);
        if (own != null) return own.find(key);
        return client.ask(new StoreProtocol.Request(StoreProtocol.Verb.FIND, key, 0, new byte[0]));
    }

    @Override
    public long add(String key, long delta) {
        Store.check(key);
        if (own != null) return own.add(key, delta);
        byte[] sum = client.ask(new StoreProtocol.Request(StoreProtocol.Verb.ADD, key, delta, new byte[0]))
                .orElseThrow();
        require(
                sum.length == Long.BYTES,
                UNAVAILABLE,
                "store: rank 0 at %s gave a sum of %d bytes",
                address,
                sum.length);
        return ByteBuffer.wrap(sum).getLong();
    }

    /** Asks whoever serves the store something about a topic, from another rank. */
    public String ask(String topic, String question) {
        byte[] bytes = question.getBytes(StandardCharsets.UTF_8);
        Store.check(topic, bytes);
        require(client != null, INVALID_ARGUMENT, "store: rank 0, which answers, asked about %s", topic);
        return new String(
                client.ask(new StoreProtocol.Request(StoreProtocol.Verb.ASK, topic, 0, bytes))
                        .orElseThrow(),
                StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        if (client != null) {
            client.close();
        } else {
            own.close();
            server.close();
        }
    }
}
