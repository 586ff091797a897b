package dev.oxbow.collective;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Fabric;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A call between cards that a kernel makes: it is agreed on and has its turn, and only then its work is put into the card's order.
 *
 * {@snippet :
 * static Pending enqueued(CardTurn turn) {
 *     turn.run();
 *     return turn.pending();
 * }
 * }
 */
public final class CardTurn {
    private final Group group;
    private final List<Fabric.Work> all;
    private final Pending turn;
    private final CardCall call;
    private final Pending whole;

    private CardTurn(Group group, List<Fabric.Work> all, Pending turn, Choice choice, Pending whole) {
        this.group = group;
        this.all = all;
        this.turn = turn;
        this.call = (CardCall) choice.algorithm();
        this.whole = whole;
        whole.whenDone(turn::end);
    }

    static CardTurn begin(
            Group group, Fabric fabric, Tensor[] from, Tensor[] to, Reduction reduction, Options options) {
        DType dtype = from[0].dtype();
        List<Fabric.Work> all = new ArrayList<>();
        for (int i = 0; i < from.length; i++)
            all.add(new Fabric.Work(
                    Fabric.Kind.ALL_REDUCE,
                    from[i].place(),
                    to[i].place(),
                    from[i].size(),
                    dtype,
                    Cards.combining(reduction),
                    -1));
        long[] counts = Arrays.stream(from).mapToLong(Tensor::size).toArray();
        Signature s = group.signature(Kind.ALL_REDUCE, dtype, Shape.of(Group.total(counts)), options)
                .withReduction(reduction)
                .withCounts(counts);
        Pending turn = new Pending(group.communicator());
        Choice choice = group.cards().choice(() -> fabric, all, options, reduction, turn);
        return new CardTurn(group, all, turn, choice, group.submit(s, options, dtype, reduction, choice));
    }

    /** Waits for the turn, which comes before the call's deadline or fails, and puts the work into the card's order; it may go on there. */
    public void run() {
        turn.await();
        Fabric.Member member = group.cards().member();
        try {
            if (member == null) throw group.error();
            member.run(all);
        } catch (RuntimeException e) {
            cancel(String.valueOf(e.getMessage()));
            throw e;
        }
        group.communicator().submit(call::issued);
    }

    /** Ends it on all ranks, as {@link Pending#cancel} does. */
    public void cancel(String why) {
        whole.cancel(why);
    }

    /** The handle of the call, which ends when the card has done it. */
    public Pending pending() {
        return whole;
    }
}
