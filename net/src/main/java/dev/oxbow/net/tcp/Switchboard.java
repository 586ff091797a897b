package dev.oxbow.net.tcp;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.UNAVAILABLE;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.net.Link;
import dev.oxbow.net.tcp.Introduction.Identity;
import dev.oxbow.net.tcp.Introduction.Purpose;
import dev.oxbow.net.tcp.Introduction.Verdict;
import dev.oxbow.tensor.OxbowException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connections between processes that come, go and restart: dialled when they are wanted, taken when others dial. Both ends
 * prove that they know the token, and who dials names the process that it means, so that another one at the same port
 * turns it away. One thread at a time uses it; only {@link #wakeUp} may be called by any thread.
 */
public final class Switchboard implements AutoCloseable {

    /** Takes the connection that was dialled, or why there is none. */
    @FunctionalInterface
    public interface Dialled {
        void ended(Link link, OxbowException error);
    }

    private static final Logger LOG = LoggerFactory.getLogger(Switchboard.class);

    /** The two ends of a connection, as the introduction counts them. */
    private static final int TAKES = 0, DIALS = 1, ENDS = 2;

    private record Attempt(Guest guest, String peer, Dialled then) {}

    private final TcpConfig config;
    private final Selector selector;
    private final Reception reception;
    private final int port;
    private final Consumer<Link> taken;
    private final List<Attempt> attempts = new ArrayList<>();
    private final List<Cable> cables = new ArrayList<>();
    private boolean closed;

    /** Listens as the process that {@code config} names by its job; {@code taken} gets connections that others have dialled. */
    public Switchboard(TcpConfig config, Consumer<Link> taken) {
        this.config = config;
        this.taken = taken;
        InetSocketAddress bind = new InetSocketAddress(config.bind(), config.port());
        require(!bind.isUnresolved(), INVALID_ARGUMENT, "switchboard: there is no host %s", config.bind());
        config.checkSafe("bind", bind.getAddress());
        Selector s = null;
        ServerSocketChannel listener = null;
        try {
            s = Selector.open();
            listener = Sockets.listen(bind, config.socketBuffer());
            Identity me = Identity.of(TAKES, ENDS, config);
            Reception.Door door = end -> end == DIALS ? Verdict.WELCOME : Verdict.WRONG_RANK;
            this.reception = new Reception(listener, s, Purpose.SWITCHBOARD, me, config, door, LOG::warn);
            this.port = ((InetSocketAddress) listener.getLocalAddress()).getPort();
        } catch (IOException e) {
            close(listener);
            close(s);
            throw new OxbowException(
                    UNAVAILABLE,
                    "switchboard: can not listen on %s port %d: %s"
                            .formatted(config.bind(), config.port(), Sockets.why(e)),
                    e);
        }
        this.selector = s;
    }

    private static void close(AutoCloseable c) {
        try {
            if (c != null) c.close();
        } catch (Exception e) {
            LOG.warn("switchboard: {}", e.toString());
        }
    }

    /** The port where it listens. */
    public int port() {
        return port;
    }

    /** Connects to the process that calls itself {@code name} there; {@code peer} is its name in messages. */
    public void dial(InetSocketAddress address, String name, String peer, Dialled then) {
        String where = "%s at %s".formatted(peer, Sockets.text(address));
        try {
            require(!closed, UNAVAILABLE, "switchboard: it is closed");
            require(!address.isUnresolved(), UNAVAILABLE, "switchboard: there is no host %s", address.getHostString());
            config.checkSafe("the address of " + peer, address.getAddress());
            Cable cable = new Cable(Sockets.connect(address, config.socketBuffer()), selector, where);
            Identity me = Identity.of(DIALS, ENDS, config.withJob(name));
            Introduction introduction = Introduction.connecting(Purpose.SWITCHBOARD, me, TAKES);
            long expires = System.nanoTime() + config.handshake().toNanos();
            attempts.add(new Attempt(new Guest(cable, introduction, config.tls(), true, expires), where, then));
        } catch (OxbowException e) {
            then.ended(null, e);
        } catch (IOException e) {
            then.ended(null, refused(where, Sockets.why(e)));
        }
    }

    private static OxbowException refused(String where, String why) {
        return new OxbowException(UNAVAILABLE, "there is no link to %s: %s".formatted(where, why));
    }

    /** Goes on with what was dialled, by both sides. */
    private void goOn() {
        long now = System.nanoTime();
        for (Attempt a : List.copyOf(attempts)) {
            try {
                if (!a.guest.step(now)) continue;
                attempts.remove(a);
                a.guest.release();
                cables.add(a.guest.cable());
                a.then.ended(a.guest.link(), null);
            } catch (Refusal e) {
                attempts.remove(a);
                a.guest.close();
                a.then.ended(null, refused(a.peer, e.getMessage()));
            }
        }
        reception.step(now, (_, cable, link) -> {
            cable.name(Sockets.text(cable.remote()));
            cables.add(cable);
            taken.accept(link);
        });
    }

    /** Waits until something has come or can go, {@link #wakeUp} was called, or {@code nanos} have passed; then gives what was dialled. */
    public void await(long nanos) {
        for (Iterator<Cable> all = cables.iterator(); all.hasNext(); ) {
            Cable c = all.next();
            if (c.isOpen()) c.watch();
            else all.remove();
        }
        reception.watch();
        long now = System.nanoTime(), end = reception.nextLook(now + nanos);
        for (Attempt a : attempts) {
            a.guest.cable().watch();
            end = Math.min(end, a.guest.expires());
        }
        boolean others = Network.select(selector, end - now);
        if (others || !attempts.isEmpty() || reception.isBusy()) goOn();
    }

    /** Ends the present or the next wait. */
    public void wakeUp() {
        selector.wakeup();
    }

    /** Ends what is being dialled, and listens no more; connections are their owners'. */
    @Override
    public void close() {
        if (closed) return;
        closed = true;
        for (Attempt a : List.copyOf(attempts)) {
            a.guest.close();
            a.then.ended(null, refused(a.peer, "this side was closed"));
        }
        attempts.clear();
        reception.close();
        close(selector);
    }
}
