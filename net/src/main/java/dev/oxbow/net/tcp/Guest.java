package dev.oxbow.net.tcp;

import dev.oxbow.net.Link;
import dev.oxbow.net.TlsConfig;
import dev.oxbow.tensor.Buffer;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.OxbowException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/** A connection whose other end has not proved yet who it is. It holds little, and not for long. */
final class Guest {
    private final Cable cable;
    private final Introduction introduction;
    private final Optional<TlsConfig> tls;
    private final boolean connecting;
    private final long expires;
    private final Buffer scratch = MemoryPool.shared().allocate(2 * Introduction.LONGEST, "tcp: introduction");
    private Link link;
    private int got;
    private int total;
    private int toSend;
    private int sent;

    Guest(Cable cable, Introduction introduction, Optional<TlsConfig> tls, boolean connecting, long expires) {
        this.cable = cable;
        this.introduction = introduction;
        this.tls = tls;
        this.connecting = connecting;
        this.expires = expires;
    }

    Cable cable() {
        return cable;
    }

    Introduction introduction() {
        return introduction;
    }

    /** The pipe under this connection; it belongs to the caller once the introduction is over. */
    Link link() {
        return link;
    }

    long expires() {
        return expires;
    }

    /** Exchanges what can be exchanged now; whether the introduction is over. */
    boolean step(long now) throws Refusal {
        try {
            if (!cable.connect()) return false;
            if (link == null)
                link = tls.isEmpty()
                        ? new Pipe(cable)
                        : new TlsPipe(cable, tls.get().engine(connecting));
            while (send()) {
                if (introduction.isDone()) return true;
                if (!receive()) break;
            }
        } catch (IOException e) {
            throw Refusal.of(Sockets.why(e));
        } catch (OxbowException e) {
            throw Refusal.of(total == 0 ? e.getMessage() : e.getMessage() + " after " + total + " bytes");
        } catch (Refusal e) {
            bid(e.farewell());
            throw e;
        }
        if (now - expires >= 0) {
            throw Refusal.of("it did not introduce itself in time, and sent %d bytes".formatted(total));
        }
        return false;
    }

    /** Whether all output is on its way. */
    private boolean send() {
        while (true) {
            if (sent == toSend) {
                byte[] output = introduction.output();
                if (output.length == 0) return link.flush();
                MemorySegment.copy(output, 0, Memory.ALL, Memory.BYTE, output(), output.length);
                toSend = output.length;
                sent = 0;
            }
            long n = link.write(output() + sent, toSend - sent);
            if (n == 0) return false;
            sent += (int) n;
        }
    }

    /** Whether a whole message has come. */
    private boolean receive() throws Refusal {
        int wanted = introduction.wanted();
        long n = link.read(scratch.address() + got, wanted - got);
        got += (int) n;
        total += (int) n;
        if (got < wanted) return false;
        byte[] input = new byte[wanted];
        MemorySegment.copy(Memory.ALL, Memory.BYTE, scratch.address(), input, 0, wanted);
        got = 0;
        introduction.take(input);
        return true;
    }

    private long output() {
        return scratch.address() + Introduction.LONGEST;
    }

    private void bid(byte[] farewell) {
        if (farewell.length == 0) return;
        try {
            MemorySegment.copy(farewell, 0, Memory.ALL, Memory.BYTE, output(), farewell.length);
            link.write(output(), farewell.length);
            link.flush();
        } catch (OxbowException _) {
            // it is turned away all the same
        }
    }

    /** Frees what the introduction needed; the link stays. */
    void release() {
        scratch.release();
    }

    /** Ends the connection. */
    void close() {
        if (link != null) link.close();
        else cable.close();
        scratch.release();
    }
}
