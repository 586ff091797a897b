package dev.oxbow.collective.algorithm;

import java.util.function.Consumer;

/**
 * Every rank lends its elements to all others, which read them where they lie until they give them back. Each rank reads
 * (P-1)S bytes of others, when and as often as it likes; P-1 short messages there and back. Where ranks do not see each
 * other's memory, (P-1)S bytes are sent.
 *
 * @param there gets the addresses of all ranks' elements
 */
public record LendAll(long address, long count, Consumer<LendAll.Loans> there) implements Algorithm {

    /** What a rank sees of all, until it gives it back. */
    public interface Loans {
        long address(int rank);

        /** Nothing of the others is read any more. */
        void giveBack();
    }

    @Override
    public void start(Exchange exchange) {
        new Run(exchange).begin();
    }

    private final class Run implements Loans {
        private final Exchange exchange;
        private final long[] at;
        private int missing;
        private int lent;
        private boolean isDone;

        Run(Exchange exchange) {
            this.exchange = exchange;
            at = new long[exchange.size()];
            at[exchange.rank()] = address;
            missing = lent = at.length - 1;
        }

        void begin() {
            if (missing == 0) there.accept(this);
            int rank = exchange.rank(), ranks = at.length;
            for (int d = 1; d < ranks; d++) {
                int peer = (rank + d) % ranks;
                exchange.borrow(peer, 0, count, address -> arrived(peer, address));
            }
            for (int d = 1; d < ranks; d++) exchange.lend((rank + d) % ranks, 0, address, count, this::returned);
        }

        private void arrived(int peer, long address) {
            at[peer] = address;
            if (--missing == 0) there.accept(this);
        }

        private void returned() {
            lent--;
            finishIfDone();
        }

        @Override
        public long address(int rank) {
            return at[rank];
        }

        @Override
        public void giveBack() {
            isDone = exchange.giveBack(); // else the call fails
            finishIfDone();
        }

        private void finishIfDone() {
            if (isDone && lent == 0) exchange.finish();
        }
    }
}
