package dev.oxbow.collective.algorithm;

/** The steps of the tree algorithms: chunks of the buffer go up a binary tree, down it, or up and then down. */
final class Tree {

    /*
     * Ranks are counted from the root: node v has children 2v + 1 and 2v + 2. The children of a node are combined one
     * after the other, so that the result does not depend on timing; chunks follow each other through the tree.
     */

    private final Exchange exchange;
    private final Flow flow;
    private final long address;
    private final Split split;
    private final int root;
    private final boolean up;
    private final boolean down;
    private final int ranks;
    private final int node;

    private Tree(Exchange exchange, Flow flow, long address, Split split, int root, boolean up, boolean down) {
        this.exchange = exchange;
        this.flow = flow;
        this.address = address;
        this.split = split;
        this.root = root;
        this.up = up;
        this.down = down;
        ranks = exchange.size();
        node = Math.floorMod(exchange.rank() - root, ranks);
    }

    static void run(Exchange exchange, long address, Split split, int root, boolean up, boolean down) {
        Flow.run(exchange, flow -> {
            if (exchange.size() > 1) new Tree(exchange, flow, address, split, root, up, down).begin();
        });
    }

    private void begin() {
        for (int c = 0; c < split.chunks(0); c++) {
            if (up) combine(c, 2 * node + 1);
            else if (node == 0) pass(c);
            else await(c);
        }
    }

    /** Combines a chunk with that of a child, then with the next child's, then passes it up. */
    private void combine(int c, int child) {
        long at = at(c), length = split.length(0, c);
        if (child <= 2 * node + 2 && child < ranks) {
            flow.receiveReduce(rank(child), 2 * c, at, length, () -> combine(c, child + 1));
        } else if (node > 0) {
            flow.send(rank((node - 1) / 2), 2 * c, at, length, () -> {
                if (down) await(c);
            });
        } else {
            exchange.complete(at, length);
            if (down) pass(c);
        }
    }

    private void await(int c) {
        flow.receive(rank((node - 1) / 2), 2 * c + 1, at(c), split.length(0, c), () -> pass(c));
    }

    private void pass(int c) {
        for (int child = 2 * node + 1; child <= 2 * node + 2 && child < ranks; child++) {
            flow.send(rank(child), 2 * c + 1, at(c), split.length(0, c));
        }
    }

    private int rank(int node) {
        return (node + root) % ranks;
    }

    private long at(int c) {
        return address + split.at(0, c) * exchange.width();
    }
}
