package dev.oxbow.collective;

import java.util.HashMap;
import java.util.Map;
import java.util.PriorityQueue;

/**
 * Hands sends to the mesh by priority, so that what is needed first does not wait behind what was ready first. A bounded
 * number of bytes is with the mesh for each peer; more are let go one by one when nothing else moves, so that a peer that
 * waits for one of them before it takes others never waits in vain.
 */
final class SendQueue {
    private static final long WINDOW = 4 << 20;

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

        boolean hasRoom(long bytes) {
            return outstanding == 0 || outstanding + bytes <= WINDOW;
        }
    }

    private final Map<Integer, Peer> peers = new HashMap<>();
    private long number;
    private int waiting;

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

    /** Nothing moves: lets one more send to each peer go. Whether there was one. */
    boolean relax() {
        if (waiting == 0) return false;
        for (Peer p : peers.values()) if (!p.waiting.isEmpty()) next(p);
        return true;
    }
}
