package dev.oxbow.collective;

import dev.oxbow.collective.algorithm.Algorithm;
import dev.oxbow.collective.algorithm.Exchange;
import dev.oxbow.tensor.Fabric;
import dev.oxbow.tensor.Memory;
import java.util.List;
import java.util.function.Supplier;

/** One rank's part in what cards do together: gets its number from rank 0, has its turn, and waits for the card. */
final class CardCall implements Algorithm {
    private final Cards cards;
    private final Supplier<Fabric> fabric;
    private final List<Fabric.Work> all;
    private final Pending turn;
    private Exchange exchange;
    private int unsent;

    /** With {@code turn}, whoever waits for that does the work and then says {@link #issued}. */
    CardCall(Cards cards, Supplier<Fabric> fabric, List<Fabric.Work> all, Pending turn) {
        this.cards = cards;
        this.fabric = fabric;
        this.all = all;
        this.turn = turn;
    }

    @Override
    public void start(Exchange e) {
        exchange = e;
        cards.join(fabric.get());
        long count = Math.max(1, Long.BYTES / e.width()), place = e.scratch(count);
        if (e.rank() > 0) {
            e.receive(0, 0, place, count, () -> cards.arrived(Memory.getLong(place), this));
            return;
        }
        e.whenAgreed(() -> {
            Memory.putLong(place, cards.number());
            unsent = e.size() - 1;
            for (int r = 1; r < e.size(); r++) e.send(r, 0, place, count, () -> unsent--);
            cards.arrived(Memory.getLong(place), this);
        });
    }

    /** All calls with lower numbers are in the order of the card. */
    void turn() {
        if (turn != null) {
            turn.end(null);
            return;
        }
        cards.member().run(all);
        issued();
    }

    /** It is in the order of the card, and ends when that has come so far. */
    void issued() {
        if (cards.member() == null) return; // the group has failed meanwhile
        Fabric.Member member = cards.member();
        Fabric.Mark mark = member.mark();
        exchange.poll(Cards.asking(
                exchange, () -> unsent == 0 && member.isReady() && mark.isReached(), () -> cards.done(mark)));
        cards.issued(mark);
    }
}
