package dev.oxbow.collective.algorithm;

/**
 * Barrier by dissemination: in step k each rank tells the rank 2^k further on, and hears from the one 2^k before it; nobody
 * leaves before everyone has come. log2 P steps, rounded up, with one message of one element each.
 */
public record DisseminationBarrier() implements Algorithm {
    @Override
    public void start(Exchange exchange) {
        Flow.run(exchange, flow -> {
            if (exchange.size() > 1) step(exchange, flow, exchange.scratch(2), 0);
        });
    }

    private static void step(Exchange exchange, Flow flow, long memory, int k) {
        int ranks = exchange.size(), distance = 1 << k;
        if (distance >= ranks) return;
        flow.receive(
                Math.floorMod(exchange.rank() - distance, ranks),
                k,
                memory + exchange.width(),
                1,
                () -> step(exchange, flow, memory, k + 1));
        flow.send((exchange.rank() + distance) % ranks, k, memory, 1);
    }
}
