package dev.oxbow.collective;

import java.util.HashMap;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.function.IntPredicate;

/** Hands sends to the mesh by priority, so that what is needed first does not wait behind what was ready first. */
final class SendQueue {

    /*
     * A bounded number of bytes is with the mesh for each peer. While its link is full, more would only lose their
     * places by priority. But where messages are read in place, a peer may wait for one that is still here before it
     * takes those that were let go: so when all is out and for a while none has been taken, another bound's worth goes.
     */

    private static final long WINDOW = 4 << 20;
    private static final long PATIENCE = 1_000_000;

    /** A send that waits for its turn. */
    interface Entry {
        int peer();

        long bytes();

        int priority();

        void begin();
    }

    private record Waiting(Entry entry, long number) implements Comparable<Waiting> {
        @Override
        public int compareTo(Waiting other) {
            int byPriority = Integer.compare(other.entry.priority(), entry.priority());
            return byPriority != 0 ? byPriority : Long.compare(number, other.number);
        }
    }

    private static final class Peer {
        final PriorityQueue<Waiting> waiting = new PriorityQueue<>();
        long outstanding;
        long taken;
        long seen;
        long since;

        boolean hasRoom(long bytes) {
            return outstanding == 0 || outstanding + bytes <= WINDOW;
        }
    }

    private final IntPredicate isSent;
    private final Map<Integer, Peer> peers = new HashMap<>();
    private long number;
    private int waiting;
    private long due = Long.MAX_VALUE;

    /** A queue without entries; {@code isSent} tells whether a peer's link has everything that the mesh was given. */
    SendQueue(IntPredicate isSent) {
        this.isSent = isSent;
    }

    void add(Entry entry) {
        Peer peer = peers.computeIfAbsent(entry.peer(), _ -> new Peer());
        if (peer.waiting.isEmpty() && peer.hasRoom(entry.bytes())) {
            begin(peer, entry);
        } else {
            peer.waiting.add(new Waiting(entry, number++));
            waiting++;
        }
    }

    private static void begin(Peer peer, Entry entry) {
        peer.outstanding += entry.bytes();
        entry.begin();
    }

    /** A send that had begun has ended. */
    void ended(Entry entry) {
        Peer peer = peers.get(entry.peer());
        peer.outstanding -= entry.bytes();
        peer.taken++;
        while (!peer.waiting.isEmpty() && peer.hasRoom(peer.waiting.peek().entry.bytes())) next(peer);
    }

    private void next(Peer peer) {
        waiting--;
        begin(peer, peer.waiting.remove().entry);
    }

    /** Takes back a send that has not begun. */
    void remove(Entry entry) {
        if (peers.get(entry.peer()).waiting.removeIf(w -> w.entry == entry)) waiting--;
    }

    /** Nothing moves: lets more go to peers that have taken nothing for a while. Whether there were such. */
    boolean relax(long now) {
        due = Long.MAX_VALUE;
        if (waiting == 0) return false;
        boolean any = false;
        for (Map.Entry<Integer, Peer> e : peers.entrySet()) {
            Peer p = e.getValue();
            if (p.waiting.isEmpty()) continue;
            boolean rests = p.taken == p.seen && isSent.test(e.getKey());
            if (!rests) p.since = now;
            p.seen = p.taken;
            if (rests && now - p.since >= PATIENCE) {
                long limit = p.outstanding + WINDOW;
                while (!p.waiting.isEmpty() && p.outstanding < limit) next(p);
                p.since = now;
                any = true;
            }
            due = Math.min(due, p.since + PATIENCE);
        }
        return any;
    }

    /** When {@link #relax} has something to do by the clock alone. */
    long due() {
        return due;
    }
}
