package dev.oxbow.data.source;

import static dev.oxbow.tensor.ErrorCode.CANCELLED;
import static dev.oxbow.tensor.ErrorCode.DEADLINE_EXCEEDED;
import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.UNAVAILABLE;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.data.pipeline.Cursor;
import dev.oxbow.data.pipeline.Lazy;
import dev.oxbow.data.pipeline.Pipeline;
import dev.oxbow.tensor.OxbowException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Records that somebody sends over a connection, framed as in record files, until it is closed. */
public final class Sockets {
    private static final long LARGEST = 1 << 28;

    private Sockets() {}

    /** Connects at the start of an epoch; silence for longer than that is an error that names the peer. */
    public static Pipeline<Record> records(String host, int port, Duration longest) {
        return Pipeline.of(_ -> new Connection(host, port, longest));
    }

    private static final class Connection implements Cursor<Record> {
        private final String peer;
        private final Duration longest;
        private final SocketChannel channel; // an interrupt ends its waits, as that of a feed which is closed
        private final RecordFormat.Reading reading;

        Connection(String host, int port, Duration longest) {
            require(port > 0 && port < 1 << 16, INVALID_ARGUMENT, "socket: there is no port %d", port);
            require(longest.isPositive(), INVALID_ARGUMENT, "socket: must be allowed to wait, got %s", longest);
            this.peer = host + ":" + port;
            this.longest = longest;
            SocketChannel opened = null;
            try {
                int millis = Math.clamp(TimeUnit.MILLISECONDS.convert(longest), 1, Integer.MAX_VALUE);
                opened = SocketChannel.open();
                opened.socket().connect(new InetSocketAddress(host, port), millis);
                opened.socket().setSoTimeout(millis);
                this.reading = new TfRecords.Format().read(peer, opened.socket().getInputStream(), LARGEST);
            } catch (IOException e) {
                close(opened, peer);
                throw new OxbowException(UNAVAILABLE, "socket: can not connect to %s: %s".formatted(peer, e), e);
            }
            this.channel = opened;
        }

        @Override
        public Lazy<Record> next() {
            try {
                return reading.next();
            } catch (SocketTimeoutException e) {
                throw new OxbowException(
                        DEADLINE_EXCEEDED, "socket: %s sent nothing for %s".formatted(peer, longest), e);
            } catch (IOException e) {
                if (!channel.isOpen()) throw new OxbowException(CANCELLED, "socket: closed", e);
                throw new OxbowException(UNAVAILABLE, "socket: %s is lost: %s".formatted(peer, e), e);
            }
        }

        @Override
        public long skip(long n) {
            if (n == 0) return 0;
            throw new OxbowException(
                    FAILED_PRECONDITION,
                    "socket: can not go on after %d records of %s: they do not come again".formatted(n, peer));
        }

        @Override
        public void close() {
            close(channel, peer);
        }

        private static void close(SocketChannel c, String peer) {
            try {
                if (c != null) c.close();
            } catch (IOException e) {
                throw new OxbowException(UNAVAILABLE, "socket: %s: %s".formatted(peer, e), e);
            }
        }
    }
}
