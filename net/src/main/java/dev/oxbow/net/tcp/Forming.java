package dev.oxbow.net.tcp;

import static dev.oxbow.tensor.ErrorCode.DEADLINE_EXCEEDED;
import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.UNAVAILABLE;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.net.HostPort;
import dev.oxbow.net.Link;
import dev.oxbow.net.Store;
import dev.oxbow.net.tcp.Introduction.Identity;
import dev.oxbow.tensor.Buffer;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.OxbowException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.function.Consumer;

/** The joining of a network: a port, an address in the store, a connection to every lower rank, and one from every higher. */
final class Forming implements AutoCloseable {

    /*
     * A rank that has all its links tells rank 0 so with one byte, and rank 0, when it has heard that from all, answers
     * each with one byte. Only then does anybody return, so that a formed network is formed everywhere. When rank 0 gives
     * up instead, it says to all that it has reached who is missing, since they may miss nobody themselves.
     */

    private static final byte GO = 1;
    private static final byte GIVEN_UP = 2;
    /** The report of a rank 0 that gives up, in UTF-8, filled up with zeros. */
    private static final int REPORT = 1024;

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
    private final boolean[] finished;
    private final Buffer scratch;
    private boolean told;
    private int heard;
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
        finished = new boolean[size];
        InetSocketAddress bind = new InetSocketAddress(config.bind(), config.port());
        require(!bind.isUnresolved(), INVALID_ARGUMENT, "tcp: bind: there is no host %s", config.bind());
        config.checkSafe("bind", bind.getAddress());
        Identity me = Identity.of(rank, size, config);
        selector = Selector.open();
        ServerSocketChannel listener = null;
        try {
            listener = Sockets.listen(bind, config.socketBuffer());
            reception = new Reception(listener, selector, me, config, strangers);
            address = advertised((InetSocketAddress) listener.getLocalAddress());
        } catch (IOException e) {
            if (listener != null) listener.close();
            selector.close();
            throw e;
        }
        scratch = MemoryPool.shared().allocate(1 + REPORT, "tcp: forming");
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
            if (rank == 0 && !told) tellWhy(e);
            throw e;
        }
    }

    private Network formed() {
        store.put(Lookup.key(config.job(), rank), address.toString().getBytes(StandardCharsets.UTF_8));
        if (rank > 0) lookup.start(rank);
        while (!step()) {
            long now = System.nanoTime();
            if (now - end >= 0) throw missing();
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
        if (size == 1) return true;
        if (rank == 0) return allHaveJoined(complete);
        if (!complete) return false;
        if (!told) told = links[0].write(scratch.address(), 1) == 1;
        return told && links[0].flush() && rankZeroAgrees();
    }

    private boolean allHaveJoined(boolean complete) {
        boolean all = complete;
        for (int peer = 1; peer < size; peer++) {
            if (links[peer] != null && !finished[peer]) finished[peer] = hear(peer, 1) == 1;
            all &= finished[peer];
        }
        if (!all) return false;
        boolean flushed = true;
        Memory.putByte(scratch.address(), GO);
        for (int peer = 1; peer < size; peer++) {
            if (!told) links[peer].write(scratch.address(), 1);
            flushed &= links[peer].flush();
        }
        told = true;
        return flushed;
    }

    private boolean rankZeroAgrees() {
        if (heard == 0) heard = hear(0, 1);
        if (heard == 0) return false;
        if (Memory.getByte(scratch.address()) == GO) return true;
        heard += hear(0, 1 + REPORT - heard);
        if (heard < 1 + REPORT) return false;
        byte[] report = new byte[REPORT];
        MemorySegment.copy(Memory.ALL, Memory.BYTE, scratch.address() + 1, report, 0, REPORT);
        throw new OxbowException(
                UNAVAILABLE,
                "tcp: rank %d of %d has joined all others, but rank 0 has given up: %s"
                        .formatted(rank, size, new String(report, StandardCharsets.UTF_8).trim()));
    }

    /** Reads up to {@code length} more bytes from a peer that has joined; a peer that leaves again is the end for all. */
    private int hear(int peer, int length) {
        try {
            return (int) links[peer].read(scratch.address() + heard, length);
        } catch (OxbowException e) {
            finished[peer] = true;
            OxbowException others = missing();
            throw new OxbowException(
                    UNAVAILABLE,
                    "tcp: %s before all had joined; %s".formatted(e.getMessage(), others.getMessage()),
                    e);
        }
    }

    private void tellWhy(OxbowException failure) {
        byte[] report = Arrays.copyOf(failure.getMessage().getBytes(StandardCharsets.UTF_8), REPORT);
        MemorySegment.copy(report, 0, Memory.ALL, Memory.BYTE, scratch.address() + 1, REPORT);
        Memory.putByte(scratch.address(), GIVEN_UP);
        for (Link link : links) {
            if (link == null) continue;
            try {
                link.write(scratch.address(), 1 + REPORT);
                link.flush();
            } catch (OxbowException _) {
                // it knows already, or will notice that the connection ends
            }
        }
    }

    private OxbowException missing() {
        StringJoiner ranks = new StringJoiner("; ");
        int count = 0;
        for (int peer = 0; peer < size; peer++) {
            String known = peer == rank ? null : known(peer);
            if (known == null) continue;
            count++;
            ranks.add("rank %d %s".formatted(peer, known));
        }
        return new OxbowException(
                DEADLINE_EXCEEDED,
                "tcp: rank %d of %d waits for job %s for up to %s, and %d of its peers have not joined: %s"
                        .formatted(rank, size, config.job(), deadline, count, ranks));
    }

    /** What keeps a peer from having joined, or null when nothing does. */
    private String known(int peer) {
        if (links[peer] != null) {
            if (rank == 0) return finished[peer] ? null : "has joined rank 0 but not all the others";
            return peer == 0 && told ? "has not said that all ranks have joined each other" : null;
        }
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
        scratch.release();
        if (formed) return;
        for (Dial dial : dials) if (dial != null) dial.close();
        for (Link link : links) if (link != null) link.close();
        reception.close();
        selector.close();
    }
}
