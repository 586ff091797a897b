package dev.oxbow.collective.algorithm;

import java.util.ArrayDeque;
import java.util.Queue;

/**
 * The messages of one rank in one collective. Passes sends on to the exchange, a few at a time to each peer and in order;
 * finishes the collective when all messages have ended and none of them has led to another.
 */
final class Flow {

    /** Sends to one peer that may be pending: enough to keep a link busy, few enough to leave room for other collectives. */
    static final int SENDS = 8;

    private final Exchange exchange;
    private final Peer[] peers;
    private int open;

    private record Send(int slot, long address, long count, Runnable then) {}

    private static final class Peer {
        final Queue<Send> waiting = new ArrayDeque<>();
        int pending;
    }

    private Flow(Exchange exchange) {
        this.exchange = exchange;
        peers = new Peer[exchange.size()];
    }

    /** What an algorithm does first. */
    @FunctionalInterface
    interface Beginning {
        void begin(Flow flow);
    }

    /** Begins a collective; it is finished at once when that posts no message. */
    static void run(Exchange exchange, Beginning beginning) {
        Flow flow = new Flow(exchange);
        flow.open++;
        beginning.begin(flow);
        flow.ended();
    }

    /** Sends elements; {@code then} runs at once when there are none. */
    void send(int to, int slot, long address, long count, Runnable then) {
        if (count == 0) {
            then.run();
            return;
        }
        open++;
        Peer peer = peers[to] == null ? peers[to] = new Peer() : peers[to];
        if (peer.pending < SENDS) pass(to, peer, new Send(slot, address, count, then));
        else peer.waiting.add(new Send(slot, address, count, then));
    }

    void send(int to, int slot, long address, long count) {
        send(to, slot, address, count, () -> {});
    }

    private void pass(int to, Peer peer, Send send) {
        peer.pending++;
        exchange.send(to, send.slot, send.address, send.count, () -> {
            peer.pending--;
            Send next = peer.waiting.poll();
            if (next != null) pass(to, peer, next);
            send.then.run();
            ended();
        });
    }

    /** Receives elements; {@code then} runs at once when there are none. */
    void receive(int from, int slot, long address, long count, Runnable then) {
        if (count == 0) {
            then.run();
            return;
        }
        open++;
        exchange.receive(from, slot, address, count, () -> {
            then.run();
            ended();
        });
    }

    /** Receives elements and combines them with those in memory; {@code then} runs at once when there are none. */
    void receiveReduce(int from, int slot, long address, long count, Runnable then) {
        if (count == 0) {
            then.run();
            return;
        }
        open++;
        exchange.receiveReduce(from, slot, address, count, () -> {
            then.run();
            ended();
        });
    }

    private void ended() {
        if (--open == 0) exchange.finish();
    }
}
