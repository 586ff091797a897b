package dev.oxbow.parallel;

import dev.oxbow.net.HostPort;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** Passes bytes on between sockets, and breaks all connections off after a drawn number of them. */
final class BreakingProxy implements AutoCloseable {
    private static final int MOST = 2_000;

    private final HostPort to;
    private final SplittableRandom random;
    private final ServerSocket listener;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final AtomicLong left = new AtomicLong(Long.MAX_VALUE);

    BreakingProxy(HostPort to, SplittableRandom random) throws IOException {
        this.to = to;
        this.random = random;
        this.listener = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"));
        Thread.ofVirtual().name("proxy").start(this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    /** Breaks off somewhere in the next bytes, in either direction; what came before has been passed on. */
    void breakSoon() {
        left.set(1 + random.nextInt(MOST));
    }

    void heal() {
        left.set(Long.MAX_VALUE);
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket in = listener.accept();
                Socket out = new Socket(to.host(), to.port());
                in.setTcpNoDelay(true);
                out.setTcpNoDelay(true);
                sockets.add(in);
                sockets.add(out);
                Thread.ofVirtual().start(() -> pass(in, out));
                Thread.ofVirtual().start(() -> pass(out, in));
            } catch (IOException e) {
                if (listener.isClosed()) return;
            }
        }
    }

    private void pass(Socket from, Socket on) {
        byte[] some = new byte[1024];
        try (from;
                on;
                InputStream in = from.getInputStream();
                OutputStream out = on.getOutputStream()) {
            for (int n = in.read(some); n >= 0; n = in.read(some)) {
                out.write(some, 0, n);
                out.flush();
                if (left.get() != Long.MAX_VALUE && left.addAndGet(-n) <= 0) {
                    heal();
                    breakOff();
                }
            }
        } catch (IOException e) {
            return; // broken off
        } finally {
            sockets.remove(from);
            sockets.remove(on);
        }
    }

    private void breakOff() throws IOException {
        for (Socket s : sockets) s.close();
    }

    @Override
    public void close() throws IOException {
        listener.close();
        breakOff();
    }
}
