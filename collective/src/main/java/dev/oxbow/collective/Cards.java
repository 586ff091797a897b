package dev.oxbow.collective;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.collective.algorithm.Algorithm;
import dev.oxbow.collective.algorithm.Exchange;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Fabric;
import dev.oxbow.tensor.Fabric.Combining;
import dev.oxbow.tensor.Fabric.Work;
import dev.oxbow.tensor.Memory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** The cards of a group's ranks, which move elements without the hosts. One thread at a time. */
final class Cards {

    /*
     * What joins cards (NCCL) wants all ranks to ask for the same in the same order, checks nothing, and waits for ever for one
     * that does not. So a call is agreed on first, as any other. Then rank 0 gives it a number, and every rank puts calls into
     * the order of its card by these. From then on a call only waits for the card: a loss, a deadline or an error there fails
     * the group as ever, and that ends what the cards do, before anything that follows from it changes a variable.
     *
     * Cards join when a group first needs them, with an identity that rank 0 makes, in a call of its own; a group that is
     * made in the place of a failed one joins anew.
     */

    /** The algorithm's name. */
    static final String NAME = "cards";

    /** Bytes of an identity. */
    private static final int IDENTITY = 128;

    /** How often the card is asked. */
    private static final long AGAIN_NANOS = 50_000;

    private final Group group;
    private final TreeMap<Long, CardCall> numbered = new TreeMap<>();
    private Fabric.Member member;
    private boolean joining;
    private boolean joined;
    private long given;
    private long next;
    private CardCall current;
    private final List<Fabric.Mark> underWay = new ArrayList<>();

    Cards(Group group) {
        this.group = group;
    }

    static Combining combining(Reduction r) {
        return switch (r.name()) {
            case "sum" -> Combining.SUM;
            case "mean" -> Combining.MEAN;
            case "min" -> Combining.MIN;
            case "max" -> Combining.MAX;
            case "product" -> Combining.PRODUCT;
            default -> null;
        };
    }

    /** How some work is done on cards; {@code turn}, if any, ends when it is the call's turn, and who waits for it does the work. */
    Choice choice(Supplier<Fabric> fabric, List<Work> all, Options options, Reduction reduction, Pending turn) {
        DType t = all.getFirst().dtype();
        Combining how = reduction == null ? null : combining(reduction);
        require(
                (reduction == null || how != null)
                        && options.wire() == WireFormat.NONE
                        && !group.isDeterministic(options),
                INVALID_ARGUMENT,
                "group %s: cards combine by sum, mean, min, max or product, as it comes and as it is, got %s, %s on the"
                        + " wire%s",
                group.name(),
                reduction,
                options.wire(),
                group.isDeterministic(options) ? ", deterministic" : "");
        return new Choice(NAME, new CardCall(this, () -> supporting(fabric.get(), t, how), all, turn));
    }

    private static Fabric supporting(Fabric f, DType t, Combining how) {
        require(f.supports(t, how), INVALID_ARGUMENT, "%s does not know %s of %s", f.name(), how, t);
        return f;
    }

    /** Begins to join the others, unless that has begun. */
    void join(Fabric fabric) {
        if (joining) return;
        joining = true;
        Signature s = Signature.of(Kind.CARDS).withHow(fabric.name());
        Choice choice = new Choice(NAME, new Joining(fabric));
        Call call = new Call(
                group,
                s,
                Options.named("the group's cards"),
                group.members(),
                DType.U8,
                null,
                choice,
                new Pending(group.communicator()));
        group.communicator().submit(() -> group.calls().begin(call));
    }

    /** The number of the next call; rank 0 gives it. */
    long number() {
        return given++;
    }

    /** A call has got its number. */
    void arrived(long number, CardCall call) {
        numbered.put(number, call);
        advance();
    }

    /** The call whose turn it was is in the order of the card. */
    void issued(Fabric.Mark mark) {
        underWay.add(mark);
        current = null;
        next++;
        advance();
    }

    /** The card has done what a call put there. */
    void done(Fabric.Mark mark) {
        underWay.remove(mark);
    }

    private void advance() {
        while (joined && current == null && !numbered.isEmpty() && numbered.firstKey() == next) {
            current = numbered.pollFirstEntry().getValue();
            current.turn();
        }
    }

    Fabric.Member member() {
        return member;
    }

    Group group() {
        return group;
    }

    /** Ends what cards do; the group has failed or is closed. */
    void close() {
        if (member == null) return;
        if (group.error() != null)
            member.abort(group.error(), !underWay.stream().allMatch(Fabric.Mark::isReached));
        else member.close();
        member = null;
        joined = false;
    }

    /** Tells everybody the identity that rank 0 makes, and waits until all have joined with it. */
    private final class Joining implements Algorithm {
        private final Fabric fabric;
        private int unsent;

        Joining(Fabric fabric) {
            this.fabric = fabric;
        }

        @Override
        public void start(Exchange e) {
            long place = e.scratch(IDENTITY);
            MemorySegment identity = Memory.ALL.asSlice(place, IDENTITY);
            if (e.rank() > 0) {
                e.receive(0, 0, place, IDENTITY, () -> join(e, identity.toArray(ValueLayout.JAVA_BYTE)));
                return;
            }
            byte[] made = fabric.identity();
            identity.copyFrom(MemorySegment.ofArray(made));
            unsent = e.size() - 1;
            for (int r = 1; r < e.size(); r++) e.send(r, 0, place, IDENTITY, () -> unsent--);
            e.whenAgreed(() -> join(e, made));
        }

        private void join(Exchange e, byte[] identity) {
            member = fabric.join(identity, e.rank(), e.size());
            group.failing().whenFailed(Cards.this::close);
            e.poll(asking(e, () -> unsent == 0 && member.isReady(), () -> {
                joined = true;
                advance();
            }));
        }
    }

    /** Asks again and again until it is so; then the call has ended. */
    static Exchange.Work asking(Exchange e, Supplier<Boolean> until, Runnable then) {
        return new Exchange.Work() {
            @Override
            public boolean step() {
                if (!until.get()) return false;
                e.finish();
                then.run();
                return true;
            }

            @Override
            public int[] waitsFor() {
                return IntStream.range(0, e.size()).filter(r -> r != e.rank()).toArray();
            }

            @Override
            public long againNanos() {
                return AGAIN_NANOS;
            }
        };
    }
}
