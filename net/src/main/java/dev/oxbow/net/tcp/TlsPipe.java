package dev.oxbow.net.tcp;

import static dev.oxbow.tensor.ErrorCode.UNAVAILABLE;

import dev.oxbow.net.Link;
import dev.oxbow.tensor.OxbowException;
import java.nio.ByteBuffer;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;

/** A link that is a socket under TLS 1.3. It takes and gives nothing until both ends have shown their certificates. */
final class TlsPipe implements Link {

    /*
     * Outgoing bytes are sealed into `sealed` at once, in records of up to 16 KB, and leave at a flush, at the end of
     * a large write or when there is no room for another record. Incoming records wait in `arrived` and are opened
     * straight into the caller's memory where a whole record fits there, else into the buffer. The engine may want to
     * send or to compute before it goes on, during the handshake and also later (a change of keys): every call serves
     * it first.
     */

    private static final int RECORDS = 8;

    private final Cable cable;
    private final SSLEngine engine;
    private final int packet;
    private final int plain;
    private final ByteBuffer sealed;
    private final ByteBuffer arrived;
    private final Received received;
    private boolean established;
    private boolean ended;

    TlsPipe(Cable cable, SSLEngine engine) {
        this.cable = cable;
        this.engine = engine;
        packet = engine.getSession().getPacketBufferSize();
        plain = engine.getSession().getApplicationBufferSize();
        sealed = ByteBuffer.allocate(RECORDS * packet);
        arrived = ByteBuffer.allocate(RECORDS * packet).limit(0);
        received = new Received(Pipe.CHUNK);
        try {
            engine.beginHandshake();
        } catch (SSLException e) {
            throw failed(e);
        }
    }

    @Override
    public long write(long address, long length) {
        if (!ready()) return 0;
        long taken = 0;
        while (taken < length) {
            if (sealed.remaining() < packet && !flushAtLeast(packet)) break;
            long n = Math.min(length - taken, Pipe.CHUNK);
            SSLEngineResult result = seal(Cable.view(address + taken, n));
            taken += result.bytesConsumed();
            if (result.bytesConsumed() == 0 && !ready()) break;
        }
        if (length >= Pipe.SMALL) flush();
        return taken;
    }

    @Override
    public boolean flush() {
        if (!established) ready();
        return flushAtLeast(sealed.capacity());
    }

    /** Sends what is sealed; whether there is room for {@code room} bytes then. */
    private boolean flushAtLeast(int room) {
        cable.checkOpen();
        if (sealed.position() > 0) {
            cable.write(sealed.flip());
            sealed.compact();
        }
        return sealed.remaining() >= room;
    }

    @Override
    public long available() {
        if (received.available() == 0) open();
        return received.available();
    }

    @Override
    public long address() {
        return received.address();
    }

    @Override
    public void skip(long length) {
        received.skip(length);
    }

    @Override
    public long read(long address, long length) {
        long n = received.drain(address, length);
        if (n > 0) return n;
        if (!ready()) return 0;
        if (length < plain) {
            open();
            return received.drain(address, length);
        }
        while (length - n >= plain) {
            int opened = unseal(n > 0, Cable.view(address + n, Math.min(length - n, Pipe.CHUNK)));
            if (opened == 0) break;
            n += opened;
        }
        return n;
    }

    /** Opens the records that have come into the empty buffer, as many as fit. */
    private void open() {
        if (!ready()) return;
        while (received.room() >= plain) {
            if (arrived.remaining() == 0 && received.available() > 0) return;
            if (arrived.remaining() == 0 && fetch() == 0) return;
            int opened = unseal(received.available() > 0, Cable.view(received.end(), received.room()));
            if (opened == 0) return;
            received.added(opened);
        }
    }

    /**
     * Opens one record with bytes for us into the target: how many, 0 when no whole one has come. When the call has
     * bytes to return already, a broken pipe shows at the next one.
     */
    private int unseal(boolean already, ByteBuffer target) {
        try {
            while (true) {
                SSLEngineResult result = engine.unwrap(arrived, target);
                if (result.bytesProduced() > 0) return result.bytesProduced();
                switch (result.getStatus()) {
                    case BUFFER_UNDERFLOW -> {
                        if (fetch() == 0) return 0;
                    }
                    case BUFFER_OVERFLOW -> throw new SSLException("a record is longer than " + target.remaining());
                    case CLOSED -> throw closed();
                    case OK -> {
                        if (!ready()) return 0;
                    }
                }
            }
        } catch (SSLException e) {
            OxbowException failure = failed(e);
            if (already) return 0;
            throw failure;
        } catch (OxbowException e) {
            if (already) return 0;
            throw e;
        }
    }

    private SSLEngineResult seal(ByteBuffer source) {
        try {
            SSLEngineResult result = engine.wrap(source, sealed);
            if (result.getStatus() == SSLEngineResult.Status.CLOSED && source.hasRemaining()) throw closed();
            return result;
        } catch (SSLException e) {
            throw failed(e);
        }
    }

    /** Reads more records; how many bytes. */
    private int fetch() {
        arrived.compact();
        try {
            return cable.read(arrived);
        } finally {
            arrived.flip();
        }
    }

    /** Does what the engine wants before it goes on; whether bytes can be exchanged now. */
    private boolean ready() {
        cable.checkOpen();
        if (ended) throw closed();
        try {
            while (true) {
                switch (engine.getHandshakeStatus()) {
                    case NEED_TASK -> {
                        for (Runnable task = engine.getDelegatedTask();
                                task != null;
                                task = engine.getDelegatedTask()) {
                            task.run();
                        }
                    }
                    case NEED_WRAP -> {
                        if (sealed.remaining() < packet && !flushAtLeast(packet)) return false;
                        SSLEngineResult result = engine.wrap(ByteBuffer.allocate(0), sealed);
                        if (result.getStatus() == SSLEngineResult.Status.CLOSED) throw closed();
                        flushAtLeast(0);
                    }
                    case NEED_UNWRAP, NEED_UNWRAP_AGAIN -> {
                        if (established) return true;
                        switch (engine.unwrap(arrived, ByteBuffer.allocate(0)).getStatus()) {
                            case BUFFER_UNDERFLOW -> {
                                if (fetch() == 0) return false;
                            }
                            case BUFFER_OVERFLOW -> throw new SSLException("data came before the handshake had ended");
                            case CLOSED -> throw closed();
                            case OK -> {}
                        }
                    }
                    case NOT_HANDSHAKING, FINISHED -> {
                        established = true;
                        return true;
                    }
                }
            }
        } catch (SSLException e) {
            throw failed(e);
        }
    }

    private OxbowException closed() {
        ended = true;
        return broken("closed the connection");
    }

    /** The alert that tells the peer why goes out first. */
    private OxbowException failed(SSLException e) {
        ended = true;
        try {
            while (sealed.remaining() >= packet && engine.getHandshakeStatus() == HandshakeStatus.NEED_WRAP) {
                if (engine.wrap(ByteBuffer.allocate(0), sealed).bytesProduced() == 0) break;
            }
            flushAtLeast(0);
        } catch (SSLException | OxbowException _) {
            // the first failure is the one to report
        }
        return new OxbowException(UNAVAILABLE, "failed in TLS: " + e.getMessage(), e).of(peer());
    }

    @Override
    public String peer() {
        return cable.peer();
    }

    @Override
    public void close() {
        if (cable.isOpen()) {
            engine.closeOutbound();
            try {
                if (sealed.remaining() >= packet) engine.wrap(ByteBuffer.allocate(0), sealed);
                flushAtLeast(0);
            } catch (SSLException | OxbowException _) {
                // the peer is gone; there is nobody to tell
            }
            cable.close();
        }
        received.close();
    }
}
