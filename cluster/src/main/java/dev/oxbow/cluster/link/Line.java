package dev.oxbow.cluster.link;

import static dev.oxbow.tensor.ErrorCode.INTERNAL;
import static dev.oxbow.tensor.ErrorCode.UNAVAILABLE;

import dev.oxbow.net.Link;
import dev.oxbow.net.shm.Lane;
import dev.oxbow.tensor.OxbowException;

/**
 * One link between two tasks as a state machine: frames both ways, contents beside them, signs of life. One thread at a
 * time moves it, and gives it the time.
 */
final class Line {

    /** What one end of a line does with what comes. */
    interface End {
        /** Takes a frame that is not DATA; its bytes are there during the call only. */
        void frame(int kind, long id, long number, long address, int length);

        /** Where bytes of a content go, or 0 where nobody wants them any more; asked again before each part of a piece. */
        long place(long id, long offset, long length);

        /** A piece has come whole. */
        void placed(long id, long length);

        /** The line is gone; nothing comes after this. */
        void lost(OxbowException why);
    }

    private final Link link;
    private final String peer;
    private final LinkOptions options;
    private final Inbox in;
    private final Outbox out;
    private final End end;
    private Lane lane;
    private Inbox laneIn;
    private Outbox laneOut;
    private long heard;
    private long spoke;
    private OxbowException loss;

    /** {@code peer} is who is at the other end, for messages. */
    Line(Link link, String peer, LinkOptions options, long now, End end) {
        this.link = link;
        this.peer = peer;
        this.options = options;
        this.end = end;
        this.in = new Inbox(link, end);
        this.out = new Outbox(link);
        heard = now;
        spoke = now;
    }

    /** Sends contents by a ring from now on. */
    void writeTo(Lane ring) {
        lane = ring;
        laneOut = new Outbox(ring);
    }

    /** Takes contents from a ring, too. */
    void readFrom(Lane ring) {
        lane = ring;
        laneIn = new Inbox(ring, end);
    }

    /** The other end has opened the ring that is to be read from, or can not. */
    void laneAnswered(boolean opened) {
        lane.unlink();
        if (opened) return;
        laneIn.close();
        laneIn = null;
        lane.close();
        lane = null;
    }

    Lane lane() {
        return lane;
    }

    long copied() {
        return lane == null ? 0 : lane.copied();
    }

    void say(int kind, long id, long number, byte... bytes) {
        if (loss == null) out.frame(kind, id, number, bytes);
    }

    /** Sends the note of a content and then its pieces, all by one way; when the line is lost it is given back. */
    void give(Content c, byte[] type) {
        if (loss != null) {
            c.release();
            return;
        }
        Outbox way = laneOut != null ? laneOut : out;
        way.frame(Frame.HAS, c.id, c.length, type);
        way.content(c);
    }

    void drop(Content c) {
        if (loss == null) (laneOut != null ? laneOut : out).drop(c);
    }

    boolean isLost() {
        return loss != null;
    }

    OxbowException loss() {
        return loss;
    }

    /** Whether contents are on their way out, so that it will move again soon. */
    boolean isGiving() {
        return loss == null && laneOut != null && !laneOut.isEmpty();
    }

    /** Moves what can move; whether anything did. */
    boolean move(long now) {
        if (loss != null) return false;
        try {
            boolean came = in.read();
            if (laneIn != null && loss == null) came |= laneIn.read();
            if (came) heard = now;
            if (loss != null) return true;
            boolean went = out.write();
            if (laneOut != null) went |= laneOut.write();
            if (lane != null && lane.mustRing()) {
                out.frame(Frame.BELL, 0, 0);
                out.write();
            }
            if (went) spoke = now;
            return came || went;
        } catch (OxbowException e) {
            fail(e.text(), e);
            return true;
        } catch (RuntimeException | OutOfMemoryError e) {
            fail("sent what can not be handled: " + e, new OxbowException(INTERNAL, e.toString(), e));
            return true;
        }
    }

    /** Gives a silent peer up, and sends a sign of life when it is time. */
    void keepAlive(long now) {
        if (loss != null) return;
        if (now - heard > options.lostAfter().toNanos())
            fail("gave no sign of life for %.1f s".formatted((now - heard) / 1e9), null);
        else if (now - spoke >= options.heartbeat().toNanos() && out.isEmpty()) out.frame(Frame.HEARTBEAT, 0, 0);
    }

    /** Time in which this process itself stood still says nothing about the peer. */
    void forgive(long nanos) {
        heard += nanos;
    }

    /** Before a wait: whether there is something in the ring already. */
    boolean announceSleep() {
        return loss == null && lane != null && lane.announceSleep();
    }

    void endSleep() {
        if (loss == null && lane != null) lane.endSleep();
    }

    /** Ends it for a reason that is the peer's. */
    void fail(String how, OxbowException cause) {
        end(new OxbowException(UNAVAILABLE, "the link to %s was lost: it %s".formatted(peer, how), cause));
    }

    /** Ends it in good order. */
    void close(OxbowException why) {
        if (loss != null) return;
        try {
            out.frame(Frame.GOODBYE, 0, 0);
            out.write();
        } catch (OxbowException _) {
            // it is gone all the same
        }
        end(why);
    }

    private void end(OxbowException why) {
        if (loss != null) return;
        loss = why;
        out.close();
        in.close();
        if (laneOut != null) laneOut.close();
        if (laneIn != null) laneIn.close();
        if (lane != null) lane.close();
        link.close();
        end.lost(why);
    }
}
