package dev.oxbow.net.tcp;

import static dev.oxbow.tensor.ErrorCode.UNAVAILABLE;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.OxbowException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/** One connected socket that never blocks, and what its selector has to watch for. */
final class Cable {

    /*
     * A selector reports bytes again and again while nobody takes them. A mesh that leaves bytes in the socket to hold
     * a fast peer back would thus never sleep. So reading is not watched for when nobody tried to read after the last
     * report, until somebody does.
     *
     * A mesh tries to read every link at every step, though mostly one of them moves. Asking the system about each empty
     * socket each time would cost more than the mesh's own work, so few of these reads get that far.
     */

    /** So many reads of a socket that was empty are answered without asking the system, unless it reports bytes before. */
    private static final int SKIPS = 8;

    private static final int DRAIN = 64 << 10;
    private static final int DRAINS = 64;

    private final SocketChannel channel;
    private final SelectionKey key;
    private String peer;
    private boolean full;
    private boolean ignored;
    private int watched;
    private int skips;
    private boolean triedSplice;
    private Splice splice;

    /** Registers a channel that is connected or has begun to connect. */
    Cable(SocketChannel channel, Selector selector, String peer) throws IOException {
        this.channel = channel;
        this.peer = peer;
        watched = channel.isConnected() ? SelectionKey.OP_READ : SelectionKey.OP_CONNECT;
        key = channel.register(selector, watched, this);
    }

    /** Memory as the channels want it. */
    static ByteBuffer view(long address, long length) {
        return Memory.ALL.asSlice(address, length).asByteBuffer();
    }

    String peer() {
        return peer;
    }

    /** Says who the peer is once that is known. */
    void name(String peer) {
        this.peer = peer;
    }

    /** The other end's address, or null when it is not known any more. */
    InetSocketAddress remote() {
        try {
            return (InetSocketAddress) channel.getRemoteAddress();
        } catch (IOException _) {
            return null;
        }
    }

    /** Whether the connection stands; the operating system's reason when it can not. */
    boolean connect() throws IOException {
        return channel.isConnected() || channel.finishConnect();
    }

    /** Reads what there is: 0 when there is nothing. */
    int read(ByteBuffer target) {
        checkOpen();
        ignored = false;
        if (skips > 0) {
            skips--;
            return 0;
        }
        int n;
        try {
            n = channel.read(target);
        } catch (IOException e) {
            throw broken(e);
        }
        if (n == 0) skips = SKIPS;
        if (n < 0) throw new OxbowException(UNAVAILABLE, "closed the connection").of(peer);
        return n;
    }

    /** Writes as much as the socket takes. */
    int write(ByteBuffer source) {
        checkOpen();
        try {
            int n = channel.write(source);
            full = source.hasRemaining();
            return n;
        } catch (IOException e) {
            throw broken(e);
        }
    }

    /** Writes as much of both as the socket takes, the first one first. */
    long write(ByteBuffer first, ByteBuffer second) {
        checkOpen();
        try {
            long n = channel.write(new ByteBuffer[] {first, second});
            full = second.hasRemaining();
            return n;
        } catch (IOException e) {
            throw broken(e);
        }
    }

    /** Whether whole pages can be written without a copy: inside a host, where the system lets us. */
    boolean splices() {
        if (!triedSplice) {
            triedSplice = true;
            InetSocketAddress remote = remote();
            if (remote != null && remote.getAddress().isLoopbackAddress()) splice = Splice.into(channel);
        }
        return splice != null && splice.works();
    }

    /** Bytes of the last call of {@link #splice} that it did not count as written, but that go before anything else. */
    long spliced() {
        return splice == null ? 0 : splice.piped();
    }

    /** Writes bytes that are copied and that whole pages follow at once. */
    int writeBeforePages(long address, int length) {
        checkOpen();
        try {
            int n = (int) splice.send(address, length);
            full = n < length;
            return n;
        } catch (IOException e) {
            throw broken(e);
        }
    }

    /** Writes whole pages that are not copied, as many as the socket takes. */
    long splice(long address, long length, boolean more) {
        checkOpen();
        try {
            long n = splice.write(address, length, more);
            full = n < length && splices();
            return n;
        } catch (IOException e) {
            throw broken(e);
        }
    }

    /** Called before a wait. */
    void watch() {
        int wanted = !channel.isConnected()
                ? SelectionKey.OP_CONNECT
                : (ignored ? 0 : SelectionKey.OP_READ) | (full ? SelectionKey.OP_WRITE : 0);
        if (wanted == watched) return;
        watched = wanted;
        try {
            key.interestOps(wanted);
        } catch (CancelledKeyException _) {
            // closed since; a closed link has nothing to wait for
        }
    }

    /** Called after a wait that found this socket ready. */
    void ready() {
        if (!key.isValid()) return;
        if (key.isReadable()) {
            ignored = true;
            skips = 0;
        }
        if (key.isWritable()) full = false;
    }

    void checkOpen() {
        require(channel.isOpen(), UNAVAILABLE, "the link to %s was closed on this side", peer);
    }

    boolean isOpen() {
        return channel.isOpen();
    }

    /** Closes the socket. What it was given still arrives: unread bytes are taken first, as they would reset it. */
    void close() {
        if (!channel.isOpen()) return;
        if (splice != null) splice.close();
        try {
            if (channel.isConnected()) {
                channel.shutdownOutput();
                ByteBuffer drain = ByteBuffer.allocate(DRAIN);
                for (int i = 0; i < DRAINS && channel.read(drain.clear()) > 0; i++) {}
            }
        } catch (IOException _) {
            // it is broken already, and about to be closed
        }
        try {
            key.cancel();
            channel.close();
        } catch (IOException _) {
            // nothing is left to close
        }
    }

    private OxbowException broken(IOException e) {
        return new OxbowException(UNAVAILABLE, "broke the connection: " + Sockets.why(e), e).of(peer);
    }
}
