package dev.oxbow.net.tcp;

import static dev.oxbow.tensor.ErrorCode.DEADLINE_EXCEEDED;
import static dev.oxbow.tensor.ErrorCode.UNAUTHENTICATED;
import static dev.oxbow.tensor.ErrorCode.UNAVAILABLE;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.net.HostPort;
import dev.oxbow.net.tcp.Introduction.Identity;
import dev.oxbow.net.tcp.Introduction.Purpose;
import dev.oxbow.net.tcp.StoreProtocol.Reply;
import dev.oxbow.net.tcp.StoreProtocol.Request;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/** The connection of another rank to the store of rank 0: one request at a time, each with a bounded wait. */
final class StoreClient {
    private static final long FIRST_PAUSE = 5_000_000;
    private static final long LONGEST_PAUSE = 250_000_000;
    private static final int ANSWER_MILLIS = 5_000;

    private final HostPort address;
    private final Socket socket;
    private final DataInputStream in;
    private final DataOutputStream out;
    /** Fair, so that a long wait for one key does not keep other threads of this rank out. */
    private final ReentrantLock turn = new ReentrantLock(true);

    StoreClient(HostPort address, int rank, int size, TcpConfig config, Duration deadline) {
        this.address = address;
        socket = connect(address, Identity.of(rank, size, config), config, deadline);
        try {
            in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
            out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
        } catch (IOException e) {
            Tls.close(socket);
            throw gone(e);
        }
    }

    private static Socket connect(HostPort address, Identity me, TcpConfig config, Duration deadline) {
        long end = System.nanoTime() + deadline.toNanos();
        String why = "no answer";
        for (long pause = FIRST_PAUSE; ; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
            var resolved = new InetSocketAddress(address.host(), address.port());
            if (resolved.isUnresolved()) {
                why = "no such host";
            } else {
                config.checkSafe("the address of the store", resolved.getAddress());
                try {
                    return introduced(resolved, me, config, end);
                } catch (Refusal e) {
                    if (e.isLast()) throw refused(address, me, e);
                    why = e.getMessage();
                } catch (SocketTimeoutException _) {
                    // the deadline has cut this attempt short; what the one before met says more
                } catch (IOException e) {
                    why = Sockets.why(e);
                }
            }
            long left = end - System.nanoTime();
            require(
                    left > 0 && !Thread.currentThread().isInterrupted(),
                    DEADLINE_EXCEEDED,
                    "store: rank %d did not reach rank 0 at %s within %s: %s",
                    me.rank(),
                    address,
                    deadline,
                    why);
            LockSupport.parkNanos(Math.min(pause, left));
        }
    }

    private static Socket introduced(InetSocketAddress to, Identity me, TcpConfig config, long end)
            throws IOException, Refusal {
        Socket socket = Tls.open(config);
        try {
            socket.setTcpNoDelay(true);
            socket.connect(to, millisUntil(end));
            socket.setSoTimeout(Math.min(ANSWER_MILLIS, millisUntil(end)));
            Tls.prepare(socket, config);
            StoreProtocol.introduce(Introduction.connecting(Purpose.STORE, me, 0), socket);
            socket.setSoTimeout(ANSWER_MILLIS);
            return socket;
        } catch (IOException | Refusal e) {
            Tls.close(socket);
            throw e;
        }
    }

    private static int millisUntil(long end) {
        return Math.clamp((end - System.nanoTime()) / 1_000_000, 1, Integer.MAX_VALUE);
    }

    /** The value that rank 0 answers with, empty when it has none. */
    Optional<byte[]> ask(Request request) {
        turn.lock();
        try {
            StoreProtocol.write(out, request);
            Reply reply = StoreProtocol.readReply(in);
            return switch (reply.outcome()) {
                case VALUE -> Optional.of(reply.value());
                case NOTHING -> Optional.empty();
                case ERROR -> throw new OxbowException(code(reply), new String(reply.value(), StandardCharsets.UTF_8));
            };
        } catch (IOException e) {
            Tls.close(socket);
            throw gone(e);
        } finally {
            turn.unlock();
        }
    }

    private static ErrorCode code(Reply reply) {
        ErrorCode[] codes = ErrorCode.values();
        return reply.code() < codes.length ? codes[reply.code()] : UNAVAILABLE;
    }

    private OxbowException gone(IOException e) {
        String why = e instanceof SocketTimeoutException
                ? "it gave no answer for " + Duration.ofMillis(ANSWER_MILLIS)
                : e.getMessage() == null ? "it closed the connection" : e.getMessage();
        return new OxbowException(UNAVAILABLE, "store: rank 0 at " + address + " is gone: " + why, e);
    }

    private static OxbowException refused(HostPort address, Identity me, Refusal e) {
        return new OxbowException(
                UNAUTHENTICATED,
                "store: rank %d can not join rank 0 at %s: %s".formatted(me.rank(), address, e.getMessage()));
    }

    void close() {
        Tls.close(socket);
    }
}
