package dev.oxbow.net.tcp;

import static dev.oxbow.tensor.ErrorCode.UNAUTHENTICATED;

import dev.oxbow.net.tcp.Introduction.Identity;
import dev.oxbow.net.tcp.Introduction.Purpose;
import dev.oxbow.tensor.OxbowException;
import java.io.IOException;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/** The attempts of this rank to reach a lower one, until one succeeds. */
final class Dial {
    private static final long FIRST_PAUSE = 5_000_000;
    private static final long LONGEST_PAUSE = 500_000_000;

    private final Identity me;
    private final int peer;
    private final TcpConfig config;
    private final Lookup lookup;
    private final long end;
    private Guest guest;
    private boolean asked;
    private long nextTry;
    private long pause = FIRST_PAUSE;
    private int attempts;
    private String known = "has put no address in the store";

    Dial(Identity me, int peer, TcpConfig config, Lookup lookup, long now, long end) {
        this.me = me;
        this.peer = peer;
        this.config = config;
        this.lookup = lookup;
        this.end = end;
        nextTry = now;
    }

    /** What was last known of the peer. */
    String known() {
        return known;
    }

    /** Connects to an address that was found. */
    void found(Lookup.Found found, Selector selector, long now) {
        asked = false;
        String where = "at " + found.named();
        if (found.address().isUnresolved()) {
            failed(where + ": no such host", now);
            return;
        }
        config.checkSafe("the address of rank " + peer, found.address().getAddress());
        attempts++;
        known = where + ": connecting";
        try {
            SocketChannel channel = Sockets.connect(found.address(), config.socketBuffer());
            Cable cable = new Cable(channel, selector, "rank %d at %s".formatted(peer, found.named()));
            var introduction = Introduction.connecting(Purpose.NETWORK, me, peer);
            guest = new Guest(cable, introduction, config.tls(), true, end);
        } catch (IOException e) {
            failed(where + ": " + Sockets.why(e), now);
        }
    }

    /** Goes on: the guest when the peer has proved who it is, else null. */
    Guest step(long now) {
        if (guest == null) {
            if (!asked && now - nextTry >= 0) {
                asked = true;
                lookup.want(peer);
            }
            return null;
        }
        try {
            if (guest.step(now)) {
                Guest done = guest;
                guest = null;
                done.release();
                return done;
            }
        } catch (Refusal e) {
            String where = guest.cable().peer().substring(guest.cable().peer().indexOf("at "));
            close();
            if (e.isLast()) {
                throw new OxbowException(
                        UNAUTHENTICATED,
                        "tcp: rank %d can not join rank %d %s: %s".formatted(me.rank(), peer, where, e.getMessage()));
            }
            failed("%s: %s, after %d attempts".formatted(where, e.getMessage(), attempts), now);
        }
        return null;
    }

    private void failed(String why, long now) {
        known = why;
        nextTry = now + pause;
        pause = Math.min(2 * pause, LONGEST_PAUSE);
    }

    /** When there is something to do by the clock alone, at the latest {@code otherwise}. */
    long nextLook(long otherwise) {
        return guest == null && !asked && nextTry - otherwise < 0 ? nextTry : otherwise;
    }

    void watch() {
        if (guest != null) guest.cable().watch();
    }

    void close() {
        if (guest != null) guest.close();
        guest = null;
    }
}
