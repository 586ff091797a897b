package dev.oxbow.net;

import static dev.oxbow.tensor.ErrorCode.INTERNAL;
import static dev.oxbow.tensor.ErrorCode.UNAVAILABLE;

import dev.oxbow.tensor.OxbowException;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One other rank as the mesh sees it: its link, what goes to it and comes from it, and when it was last heard. */
final class Peer {
    private static final Logger LOG = LoggerFactory.getLogger(Mesh.class);

    private final Mesh mesh;
    private final int rank;
    private final Link link;
    private final Inbox inbox;
    private final Outbox outbox;
    private long heard;
    private long readAt;
    private boolean warned;
    private long spoke;
    private OxbowException loss;

    Peer(Mesh mesh, int rank, Link link, long now) {
        this.mesh = mesh;
        this.rank = rank;
        this.link = link;
        inbox = new Inbox(mesh, this, link);
        outbox = new Outbox(mesh, link);
        heard = now;
        readAt = now;
        spoke = now;
    }

    int rank() {
        return rank;
    }

    Inbox inbox() {
        return inbox;
    }

    Outbox outbox() {
        return outbox;
    }

    OxbowException loss() {
        return loss;
    }

    /** Why it is gone, or will be after {@code soon} if nothing comes from it, or {@code null}. */
    OxbowException loss(long now, long soon, long lostAfter) {
        return loss != null || now - heard + soon <= lostAfter ? loss : loss(silence(now), null);
    }

    private OxbowException loss(String how, OxbowException cause) {
        return new OxbowException(UNAVAILABLE, how, cause).of(link.peer()).by(rank);
    }

    private String silence(long now) {
        return "gave no sign of life for %.1f s".formatted((now - heard) / 1e9);
    }

    boolean read(long now) {
        if (loss != null) return false;
        try {
            if (!inbox.progress()) return false;
            heard = now;
            readAt = now;
            warned = false;
            return true;
        } catch (OxbowException e) {
            lose(e.text(), e);
            return true;
        } catch (RuntimeException e) {
            lose("sent what can not be handled: " + e, new OxbowException(INTERNAL, e.toString(), e));
            return true;
        }
    }

    boolean write(long now) {
        if (loss != null || outbox.isEmpty()) return false;
        try {
            if (!outbox.progress()) return false;
            spoke = now;
            return true;
        } catch (OxbowException e) {
            // what a leaving peer sent last may still be in the link
            while (loss == null && read(now)) {}
            lose(e.text(), e);
            return true;
        }
    }

    /** Sends a sign of life when it is time, and gives a silent peer up. */
    void keepAlive(long now, long heartbeat, long lostAfter) {
        if (loss != null) return;
        if (inbox.isStalled()) {
            heard = now;
            if (!warned && now - readAt > lostAfter) {
                LOG.warn(
                        "rank {} holds back rank {} for {} s{}",
                        mesh.rank(),
                        rank,
                        (now - readAt) / 1_000_000_000,
                        inbox.stall());
                warned = true;
            }
        }
        if (now - heard > lostAfter) {
            lose(silence(now), null);
        } else if (now - spoke >= heartbeat && outbox.isEmpty()) {
            outbox.control(Frame.HEARTBEAT, 0);
        }
    }

    /** Time in which this process did not run says nothing about the peer. */
    void forgive(long nanos) {
        heard += nanos;
    }

    List<Operation> operations() {
        if (loss != null) return List.of();
        List<Operation> all = new ArrayList<>(inbox.operations());
        all.addAll(outbox.operations());
        return all;
    }

    void lose(String how, OxbowException cause) {
        if (loss != null) return;
        inbox.deliverAll();
        List<Operation> pending = operations();
        loss = loss(how, cause);
        pending.forEach(op -> mesh.end(op, loss));
        release();
        mesh.lost(this);
    }

    /** Ends the peer without telling anybody. */
    void close(OxbowException why) {
        if (loss != null) return;
        List<Operation> pending = operations();
        loss = why;
        pending.forEach(op -> mesh.end(op, why));
        release();
    }

    private void release() {
        outbox.close();
        inbox.close();
        link.close();
    }

    @Override
    public String toString() {
        return link.peer();
    }
}
