package dev.oxbow.cuda;

import dev.oxbow.runtime.Order;

/** The stream of a card as one engine sees it: who waits for it is told what the engine's kernels found wrong. */
record CudaOrder(Card card) implements Order {

    @Override
    public Event mark() {
        Event mark = card.space.mark();
        return new Event() {
            @Override
            public boolean isReached() {
                return mark.isReached();
            }

            @Override
            public void await() {
                mark.await();
                card.faults.check();
            }
        };
    }

    @Override
    public Replay replay() {
        return new Recording(card.commands);
    }
}
