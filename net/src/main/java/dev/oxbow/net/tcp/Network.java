package dev.oxbow.net.tcp;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.UNAVAILABLE;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.net.Link;
import dev.oxbow.net.Store;
import dev.oxbow.net.Transport;
import dev.oxbow.tensor.OxbowException;
import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.time.Duration;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Ranks that are connected by TCP, each with each, plain or under TLS. */
public final class Network implements Transport {
    private static final Logger LOG = LoggerFactory.getLogger(Network.class);
    private static final long MILLISECOND = 1_000_000;

    private final int rank;
    private final Selector selector;
    private final Reception reception;
    private final Link[] links;
    private final Cable[] cables;
    private boolean closed;

    Network(int rank, Selector selector, Reception reception, Link[] links, Cable[] cables) {
        this.rank = rank;
        this.selector = selector;
        this.reception = reception;
        this.links = links;
        this.cables = cables;
    }

    /**
     * Joins the job that {@code config} names: returns on every rank when all have joined and proved who they are, and
     * fails after {@code deadline} with the ranks that have not and what was last known of them. From then on the store
     * is not needed any more. Ranks that form a new network later give it a job name of its own.
     */
    public static Network join(Store store, int rank, int size, TcpConfig config, Duration deadline) {
        return join(store, rank, size, config, deadline, LOG::warn);
    }

    static Network join(
            Store store, int rank, int size, TcpConfig config, Duration deadline, Consumer<String> strangers) {
        require(size > 0, INVALID_ARGUMENT, "tcp: a job has at least 1 rank, got %d", size);
        require(rank >= 0 && rank < size, INVALID_ARGUMENT, "tcp: rank %d is not one of a job of %d", rank, size);
        require(deadline.isPositive(), INVALID_ARGUMENT, "tcp: the deadline must be positive, got %s", deadline);
        try (Forming forming = new Forming(store, rank, size, config, deadline, strangers)) {
            return forming.form();
        } catch (IOException e) {
            throw new OxbowException(
                    UNAVAILABLE,
                    "tcp: rank %d can not listen on %s port %d: %s"
                            .formatted(rank, config.bind(), config.port(), Sockets.why(e)),
                    e);
        }
    }

    @Override
    public int rank() {
        return rank;
    }

    @Override
    public int size() {
        return links.length;
    }

    @Override
    public Link link(int peer) {
        require(
                peer >= 0 && peer < links.length && peer != rank,
                INVALID_ARGUMENT,
                "tcp: rank %d of %d has no link to rank %d",
                rank,
                links.length,
                peer);
        return links[peer];
    }

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public void await(long nanos) {
        require(!closed, UNAVAILABLE, "tcp: the network of rank %d was closed", rank);
        for (Cable cable : cables) if (cable != null) cable.watch();
        long wait = nanos;
        if (reception.isBusy()) {
            reception.watch();
            long now = System.nanoTime();
            wait = reception.nextLook(now + nanos) - now;
        }
        if (select(selector, wait) || reception.isBusy()) {
            // nobody new is welcome: every rank is here
            reception.step(System.nanoTime(), (_, _, link) -> link.close());
        }
    }

    /** Waits, and tells the sockets that they are ready; whether something else is. */
    static boolean select(Selector selector, long nanos) {
        try {
            if (nanos <= 0) selector.selectNow();
            else selector.select((nanos + MILLISECOND - 1) / MILLISECOND);
        } catch (IOException e) {
            throw new OxbowException(UNAVAILABLE, "tcp: waiting for sockets failed: " + e, e);
        }
        boolean other = false;
        for (SelectionKey key : selector.selectedKeys()) {
            if (key.attachment() instanceof Cable cable) cable.ready();
            else other = true;
        }
        selector.selectedKeys().clear();
        return other;
    }

    @Override
    public void wakeUp() {
        selector.wakeup();
    }

    @Override
    public void close() {
        if (closed) return;
        closed = true;
        for (Link link : links) if (link != null) link.close();
        reception.close();
        try {
            selector.close();
        } catch (IOException e) {
            LOG.warn("tcp: rank {} can not close its selector: {}", rank, e.toString());
        }
    }
}
