package dev.oxbow.net.tcp;

import dev.oxbow.net.Link;
import dev.oxbow.net.tcp.Introduction.Identity;
import dev.oxbow.net.tcp.Introduction.Purpose;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;

/** The open port of a rank: lets the ranks of the job in and turns all others away, with a line in the log for each. */
final class Reception {
    /** Called with each rank that was let in. */
    @FunctionalInterface
    interface Welcome {
        void joined(int rank, Cable cable, Link link);
    }

    /** Who is let in; told again of one that was and had to be turned away after all. */
    interface Door extends Introduction.Admission {
        default void left(int rank) {}
    }

    private static final int FEWEST_GUESTS = 128;
    private static final long PAUSE = 1_000_000_000;

    private final ServerSocketChannel listener;
    private final SelectionKey key;
    private final Selector selector;
    private final Identity me;
    private final TcpConfig config;
    private final Consumer<String> log;
    private final Purpose purpose;
    private final Door door;
    private final List<Guest> guests = new ArrayList<>();
    private long closedUntil;
    private boolean paused;

    Reception(
            ServerSocketChannel listener,
            Selector selector,
            Purpose purpose,
            Identity me,
            TcpConfig config,
            Door door,
            Consumer<String> log)
            throws IOException {
        this.listener = listener;
        this.selector = selector;
        this.me = me;
        this.config = config;
        this.log = log;
        this.purpose = purpose;
        this.door = door;
        key = listener.register(selector, SelectionKey.OP_ACCEPT);
    }

    /** Accepts who is at the door, and goes on with the introductions. */
    void step(long now, Welcome welcome) {
        if (paused && now - closedUntil >= 0) {
            paused = false;
            key.interestOps(SelectionKey.OP_ACCEPT);
        }
        if (!paused) accept(now);
        for (Iterator<Guest> all = guests.iterator(); all.hasNext(); ) {
            Guest guest = all.next();
            try {
                if (!guest.step(now)) continue;
                all.remove();
                guest.release();
                welcome.joined(guest.introduction().peer(), guest.cable(), guest.link());
            } catch (Refusal e) {
                all.remove();
                turnAway(guest, e.getMessage());
            }
        }
    }

    private void accept(long now) {
        try {
            for (SocketChannel channel = listener.accept(); channel != null; channel = listener.accept()) {
                if (guests.size() >= Math.max(FEWEST_GUESTS, 2 * me.size())) {
                    turnAway(guests.removeFirst(), "it was the oldest of too many that had not introduced themselves");
                }
                guests.add(receive(channel, now));
            }
        } catch (IOException e) {
            log.accept("tcp: rank %d can not accept connections for a while: %s".formatted(me.rank(), e));
            paused = true;
            closedUntil = now + PAUSE;
            key.interestOps(0);
        }
    }

    private Guest receive(SocketChannel channel, long now) throws IOException {
        try {
            Sockets.prepare(channel, config.socketBuffer());
            var introduction = Introduction.accepting(purpose, me, door);
            long expires = now + config.handshake().toNanos();
            return new Guest(new Cable(channel, selector, "it"), introduction, config.tls(), false, expires);
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    private void turnAway(Guest guest, String why) {
        if (guest.introduction().isDone()) door.left(guest.introduction().peer());
        InetSocketAddress from = guest.cable().remote();
        guest.close();
        log.accept("tcp: rank %d turned %s away: %s".formatted(me.rank(), Sockets.text(from), why));
    }

    /** Whether something has to be watched beside the formed links. */
    boolean isBusy() {
        return paused || !guests.isEmpty();
    }

    /** When a guest's time is over or the port opens again, at the latest {@code otherwise}. */
    long nextLook(long otherwise) {
        long next = otherwise;
        if (paused && closedUntil - next < 0) next = closedUntil;
        for (Guest g : guests) if (g.expires() - next < 0) next = g.expires();
        return next;
    }

    void watch() {
        for (int i = 0; i < guests.size(); i++) guests.get(i).cable().watch();
    }

    void close() {
        guests.forEach(Guest::close);
        guests.clear();
        try {
            listener.close();
        } catch (IOException e) {
            log.accept("tcp: rank %d can not close its port: %s".formatted(me.rank(), e));
        }
    }
}
