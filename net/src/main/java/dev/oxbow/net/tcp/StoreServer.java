package dev.oxbow.net.tcp;

import static dev.oxbow.tensor.ErrorCode.DEADLINE_EXCEEDED;

import dev.oxbow.net.HostPort;
import dev.oxbow.net.MemoryStore;
import dev.oxbow.net.tcp.Introduction.Identity;
import dev.oxbow.net.tcp.Introduction.Purpose;
import dev.oxbow.net.tcp.Introduction.Verdict;
import dev.oxbow.net.tcp.StoreProtocol.Outcome;
import dev.oxbow.net.tcp.StoreProtocol.Reply;
import dev.oxbow.net.tcp.StoreProtocol.Request;
import dev.oxbow.tensor.OxbowException;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BinaryOperator;
import java.util.function.Consumer;

/** Serves the store that lives on rank 0, one virtual thread per connection. */
final class StoreServer {
    private static final int BACKLOG = 1024;
    private static final int FEWEST_STRANGERS = 128;
    private static final long LONGEST_WAIT_MILLIS = 10_000;
    private static final long LAST_ANSWER_MILLIS = 1_000;

    private final MemoryStore values;
    private final BinaryOperator<String> questions;
    private final Identity me;
    private final TcpConfig config;
    private final Consumer<String> log;
    private final ServerSocket listener;
    private final HostPort address;
    /** Each connection with the lock that its thread holds while it answers. */
    private final Map<Socket, ReentrantLock> connections = new ConcurrentHashMap<>();

    private final Semaphore strangers;
    private volatile boolean closed;

    StoreServer(
            MemoryStore values,
            HostPort named,
            int size,
            TcpConfig config,
            Consumer<String> log,
            BinaryOperator<String> questions)
            throws IOException {
        this.values = values;
        this.questions = questions;
        this.config = config;
        this.log = log;
        me = Identity.of(0, size, config);
        strangers = new Semaphore(Math.max(FEWEST_STRANGERS, 2 * size));
        listener = config.tls().isPresent()
                ? config.tls().get().context().getServerSocketFactory().createServerSocket()
                : new ServerSocket();
        try {
            listener.setReuseAddress(true);
            listener.bind(new InetSocketAddress(named.host(), named.port()), BACKLOG);
        } catch (IOException e) {
            listener.close();
            throw e;
        }
        address = new HostPort(named.host(), listener.getLocalPort());
        Thread.ofVirtual().name("oxbow-store").start(this::accept);
    }

    HostPort address() {
        return address;
    }

    private void accept() {
        while (!closed) {
            try {
                Socket socket = listener.accept();
                connections.put(socket, new ReentrantLock());
                if (closed) close(socket);
                else if (strangers.tryAcquire())
                    Thread.ofVirtual().name("oxbow-store-client").start(() -> receive(socket));
                else turnAway(socket, "too many have not introduced themselves");
            } catch (IOException e) {
                if (closed) return;
                log.accept("store: rank 0 can not accept a connection: " + e);
                pause();
            }
        }
    }

    private void receive(Socket socket) {
        CountDownLatch introduced = new CountDownLatch(1);
        // whatever the other end does, reading ends when the socket is closed
        Thread.ofVirtual().name("oxbow-store-patience").start(() -> {
            if (!in(introduced)) close(socket);
        });
        try {
            socket.setTcpNoDelay(true);
            Tls.prepare(socket, config);
            StoreProtocol.introduce(
                    Introduction.accepting(Purpose.STORE, me, rank -> rank == 0 ? Verdict.WRONG_RANK : Verdict.WELCOME),
                    socket);
        } catch (Refusal e) {
            turnAway(socket, e.getMessage());
            return;
        } catch (IOException e) {
            if (!closed) turnAway(socket, socket.isClosed() ? "it did not introduce itself in time" : Sockets.why(e));
            return;
        } finally {
            introduced.countDown();
            strangers.release();
        }
        serve(socket, connections.getOrDefault(socket, new ReentrantLock()));
    }

    private boolean in(CountDownLatch introduced) {
        try {
            return introduced.await(config.handshake().toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException _) {
            return false;
        }
    }

    private void serve(Socket socket, ReentrantLock answering) {
        try {
            var in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
            var out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
            while (!closed) {
                Request request = StoreProtocol.readRequest(in);
                answering.lock();
                try {
                    StoreProtocol.write(out, answer(request));
                } finally {
                    answering.unlock();
                }
            }
        } catch (EOFException _) {
            // the client has closed its store
        } catch (IOException | OxbowException e) {
            if (!closed) log.accept("store: rank 0 dropped %s: %s".formatted(from(socket), e.getMessage()));
        } finally {
            close(socket);
        }
    }

    private Reply answer(Request request) {
        try {
            Optional<byte[]> value = switch (request.verb()) {
                case PUT -> {
                    values.put(request.key(), request.value());
                    yield Optional.of(new byte[0]);
                }
                case GET -> {
                    long millis = Math.clamp(request.number(), 0, LONGEST_WAIT_MILLIS);
                    yield Optional.of(values.get(request.key(), Duration.ofMillis(millis)));
                }
                case FIND -> values.find(request.key());
                case ADD -> Optional.of(StoreProtocol.number(values.add(request.key(), request.number())));
                case ASK -> {
                    String question = new String(request.value(), StandardCharsets.UTF_8);
                    yield Optional.of(questions.apply(request.key(), question).getBytes(StandardCharsets.UTF_8));
                }
            };
            return new Reply(
                    value.isPresent() ? Outcome.VALUE : Outcome.NOTHING, 0, value.orElseGet(() -> new byte[0]));
        } catch (OxbowException e) {
            if (e.code() == DEADLINE_EXCEEDED) return new Reply(Outcome.NOTHING, 0, new byte[0]);
            byte[] message = e.getMessage().getBytes(StandardCharsets.UTF_8);
            return new Reply(Outcome.ERROR, e.code().ordinal(), Arrays.copyOf(message, Math.min(message.length, 1024)));
        }
    }

    private void turnAway(Socket socket, String why) {
        log.accept("store: rank 0 turned %s away: %s".formatted(from(socket), why));
        close(socket);
    }

    private static String from(Socket socket) {
        return Sockets.text((InetSocketAddress) socket.getRemoteSocketAddress());
    }

    private void close(Socket socket) {
        connections.remove(socket);
        Tls.close(socket);
    }

    private static void pause() {
        try {
            Thread.sleep(100);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    void close() {
        closed = true;
        try {
            listener.close();
        } catch (IOException e) {
            log.accept("store: rank 0 can not close its port: " + e);
        }
        connections.forEach(this::finish);
    }

    /** Who has been heard is answered first. */
    private void finish(Socket socket, ReentrantLock answering) {
        try {
            if (answering.tryLock(LAST_ANSWER_MILLIS, TimeUnit.MILLISECONDS)) answering.unlock();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
        close(socket);
    }
}
