package dev.oxbow.collective.algorithm;

/** One message between two ranks: 1 step and S bytes. Empty ones travel too, so that the receiver waits for the sender. */
public sealed interface PointToPoint extends Algorithm {

    record Send(int to, long address, long count) implements PointToPoint {
        @Override
        public void start(Exchange exchange) {
            exchange.send(to, 0, address, count, exchange::finish);
        }
    }

    record Receive(int from, long address, long count) implements PointToPoint {
        @Override
        public void start(Exchange exchange) {
            exchange.receive(from, 0, address, count, exchange::finish);
        }
    }
}
