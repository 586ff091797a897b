package dev.oxbow.net.tcp;

import static dev.oxbow.tensor.ErrorCode.DEADLINE_EXCEEDED;
import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.UNAVAILABLE;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.net.HostPort;
import dev.oxbow.net.Link;
import dev.oxbow.net.Store;
import dev.oxbow.net.tcp.Introduction.Identity;
import dev.oxbow.net.tcp.Introduction.Purpose;
import dev.oxbow.tensor.OxbowException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.function.Consumer;

/** The joining of a network: a port, an address in the store, a connection to each lower rank and from each higher. */
final class Forming implements AutoCloseable {

    private final Store store;
    private final int rank;
    private final int size;
    private final TcpConfig config;
    private final Duration deadline;
    private final long end;
    private final Selector selector;
    private final Reception reception;
    private final HostPort address;
    private final Lookup lookup;
    private final Link[] links;
    private final Cable[] cables;
    private final Dial[] dials;
    private final Agreement agreement;
    private boolean formed;

    Forming(Store store, int rank, int size, TcpConfig config, Duration deadline, Consumer<String> strangers)
            throws IOException {
        this.store = store;
        this.rank = rank;
        this.size = size;
        this.config = config;
        this.deadline = deadline;
        long now = System.nanoTime();
        end = now + deadline.toNanos();
        links = new Link[size];
        cables = new Cable[size];
        dials = new Dial[rank];
        InetSocketAddress bind = new InetSocketAddress(config.bind(), config.port());
        require(!bind.isUnresolved(), INVALID_ARGUMENT, "tcp: bind: there is no host %s", config.bind());
        config.checkSafe("bind", bind.getAddress());
        Identity me = Identity.of(rank, size, config);
        selector = Selector.open();
        ServerSocketChannel listener = null;
        try {
            listener = Sockets.listen(bind, config.socketBuffer());
            reception =
                    new Reception(listener, selector, Purpose.NETWORK, me, config, new Places(rank, size), strangers);
            address = advertised((InetSocketAddress) listener.getLocalAddress());
        } catch (IOException e) {
            if (listener != null) listener.close();
            selector.close();
            throw e;
        }
        agreement = new Agreement(rank, links);
        lookup = new Lookup(store, config.job(), selector::wakeup);
        for (int peer = 0; peer < rank; peer++) dials[peer] = new Dial(me, peer, config, lookup, now, end);
    }

    private HostPort advertised(InetSocketAddress bound) throws IOException {
        InetAddress local = bound.getAddress().isAnyLocalAddress() ? Sockets.localHost() : bound.getAddress();
        return new HostPort(config.advertise().orElse(local.getHostAddress()), bound.getPort());
    }

    Network form() {
        try {
            return formed();
        } catch (OxbowException e) {
            agreement.giveUp(e);
            throw e;
        }
    }

    private Network formed() {
        store.put(Lookup.key(config.job(), rank), address.toString().getBytes(StandardCharsets.UTF_8));
        if (rank > 0) lookup.start(rank);
        while (!step()) {
            long now = System.nanoTime();
            if (now - end >= 0) {
                throw new OxbowException(
                        DEADLINE_EXCEEDED,
                        "tcp: rank %d of %d waited %s for job %s, but some have not joined: %s"
                                .formatted(rank, size, deadline, config.job(), absent()));
            }
            long next = reception.nextLook(end);
            for (Dial dial : dials) if (dial != null) next = dial.nextLook(next);
            reception.watch();
            for (Dial dial : dials) if (dial != null) dial.watch();
            for (Cable cable : cables) if (cable != null) cable.watch();
            Network.select(selector, Math.max(1, next - now));
        }
        for (Link link : links) if (link instanceof Pipe pipe) pipe.settle();
        formed = true;
        return new Network(rank, selector, reception, links, cables);
    }

    /** Does what can be done now; whether the network is formed. */
    private boolean step() {
        long now = System.nanoTime();
        for (Lookup.Found f = lookup.poll(); f != null; f = lookup.poll()) {
            if (dials[f.rank()] != null) dials[f.rank()].found(f, selector, now);
        }
        for (int peer = 0; peer < rank; peer++) {
            if (dials[peer] == null) continue;
            Guest guest = dials[peer].step(now);
            if (guest == null) continue;
            dials[peer] = null;
            joined(peer, guest.cable(), guest.link());
        }
        reception.step(now, (peer, cable, link) -> {
            cable.name("rank %d at %s".formatted(peer, Sockets.text(cable.remote())));
            joined(peer, cable, link);
        });
        return agreed();
    }

    private void joined(int peer, Cable cable, Link link) {
        links[peer] = link;
        cables[peer] = cable;
    }

    private boolean agreed() {
        boolean complete = true;
        for (int peer = 0; peer < size; peer++) complete &= peer == rank || links[peer] != null;
        try {
            return agreement.isReached(complete);
        } catch (OxbowException e) {
            String others = absent();
            throw new OxbowException(
                    UNAVAILABLE,
                    "tcp: %s before all had joined%s"
                            .formatted(e.getMessage(), others.isEmpty() ? "" : "; also not joined: " + others),
                    e);
        }
    }

    private String absent() {
        StringJoiner ranks = new StringJoiner("; ");
        for (int peer = 0; peer < size; peer++) {
            String known = peer == rank ? null : known(peer);
            if (known != null) ranks.add("rank %d %s".formatted(peer, known));
        }
        return ranks.toString();
    }

    /** What keeps a peer from having joined, or null when nothing does. */
    private String known(int peer) {
        if (links[peer] != null) return agreement.lacks(peer);
        if (peer < rank) return dials[peer].known();
        try {
            Optional<byte[]> value = store.find(Lookup.key(config.job(), peer));
            return value.map(v -> "listens at " + new String(v, StandardCharsets.UTF_8) + " and has not connected")
                    .orElse("has put no address in the store and has not connected");
        } catch (OxbowException e) {
            return "has not connected (" + e.getMessage() + ")";
        }
    }

    @Override
    public void close() throws IOException {
        lookup.close();
        agreement.close();
        if (formed) return;
        for (Dial dial : dials) if (dial != null) dial.close();
        for (Link link : links) if (link != null) link.close();
        reception.close();
        selector.close();
    }
}
