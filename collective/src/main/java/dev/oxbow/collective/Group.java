package dev.oxbow.collective;

import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.collective.algorithm.Exchange;
import dev.oxbow.collective.algorithm.LendAll;
import dev.oxbow.collective.algorithm.PointToPoint;
import dev.oxbow.collective.algorithm.TopKAllReduce.Kept;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Fabric;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;

/**
 * Ranks that do collectives together. Every operation returns at once with a handle; buffers belong to the operation until
 * it has ended, and results are in place. Operations of the same name meet whatever their order; those without a name meet
 * in the order in which each rank calls them. Thread-safe.
 *
 * <p>When an operation fails on any rank, all operations of the group fail on all ranks with the same error, and the group
 * can not be used any more; {@link #reform} makes a new one of the ranks that are left.
 */
public final class Group extends Membership {
    private final Calls calls;
    private final Chooser chooser;
    private final Arguments arguments = new Arguments(this);
    private final Residuals residuals = new Residuals(MemoryPool.shared());
    private final Cards cards = new Cards(this);

    Group(Communicator communicator, long id, String name, int[] members) {
        this(communicator, id, name, members, 1);
    }

    private Group(Communicator communicator, long id, String name, int[] members, int generation) {
        super(communicator, id, name, members, generation);
        calls = new Calls(this);
        chooser = new Chooser(this);
    }

    /** Combines the elements of all ranks; every rank ends with the result. */
    public Pending allReduce(Elements x, Reduction reduction, Options options) {
        return allReduce(x, Shape.of(x.count()), reduction, options);
    }

    /** The same for elements of a tensor, on whose shape ranks must agree. */
    public Pending allReduce(Elements x, Shape shape, Reduction reduction, Options options) {
        return allReduce(x, shape, reduction, options, null);
    }

    /** The same by top-k, where the caller keeps what is not sent; or any, where {@code kept} is null. */
    public Pending allReduce(Elements x, Shape shape, Reduction reduction, Options options, List<Kept> kept) {
        arguments.reduction(Kind.ALL_REDUCE, x.dtype(), reduction, options);
        Signature s = signature(Kind.ALL_REDUCE, x.dtype(), shape, options).withReduction(reduction);
        return submit(s, options, x.dtype(), reduction, chooser.allReduce(x, reduction, options, kept));
    }

    /** The same, in place, for a tensor. */
    public Pending allReduce(Tensor x, Reduction reduction, Options options) {
        return holding(x, () -> allReduce(Elements.of(x), x.shape(), reduction, options));
    }

    /** The same for tensors of cards that a kernel of a fabric has, from where they are to where the results are wanted. */
    public CardTurn allReduce(Fabric fabric, Tensor[] from, Tensor[] to, Reduction reduction, Options options) {
        arguments.reduction(Kind.ALL_REDUCE, from[0].dtype(), reduction, options);
        return CardTurn.begin(this, fabric, from, to, reduction, options);
    }

    /** The sum of a tensor over all ranks, in place. */
    public Pending allReduce(Tensor x) {
        return allReduce(x, Reduction.SUM, Options.DEFAULT);
    }

    /** Combines the elements of all ranks on the root; the buffers of others are left with anything. */
    public Pending reduce(Elements x, Reduction reduction, int root, Options options) {
        arguments.reduction(Kind.REDUCE, x.dtype(), reduction, options);
        arguments.root(Kind.REDUCE, root);
        Signature s =
                signature(Kind.REDUCE, x, options).withReduction(reduction).withRoot(root);
        return submit(s, options, x.dtype(), reduction, chooser.reduce(x, reduction, root, options));
    }

    /**
     * Combines the elements of all ranks and leaves segment r of the result in segment r of rank r; other segments are left
     * with anything.
     *
     * @param counts the elements of each segment
     */
    public Pending reduceScatter(Elements x, long[] counts, Reduction reduction, Options options) {
        arguments.reduction(Kind.REDUCE_SCATTER, x.dtype(), reduction, options);
        arguments.counts(Kind.REDUCE_SCATTER, counts, x.count());
        Signature s = signature(Kind.REDUCE_SCATTER, x, options)
                .withCounts(counts.clone())
                .withReduction(reduction);
        return submit(s, options, x.dtype(), reduction, chooser.reduceScatter(x, counts.clone(), reduction, options));
    }

    /** Segment r of rank r becomes segment r of every rank; {@code counts} has the elements of each segment. */
    public Pending allGather(Elements x, long[] counts, Options options) {
        arguments.counts(Kind.ALL_GATHER, counts, x.count());
        arguments.plain(Kind.ALL_GATHER, options);
        Signature s = signature(Kind.ALL_GATHER, x, options).withCounts(counts.clone());
        return submit(s, options, x.dtype(), null, chooser.allGather(x, counts.clone()));
    }

    /** Gathers different numbers of elements on every rank, which are told to all ranks first. */
    public PendingTensor allGatherRagged(Elements mine, Options options) {
        arguments.member();
        arguments.onHost(Kind.ALL_GATHER, mine);
        arguments.plain(Kind.ALL_GATHER, options);
        return new RaggedGather(this, mine, options).start();
    }

    /** Every rank ends with the elements of the root. */
    public Pending broadcast(Elements x, int root, Options options) {
        arguments.root(Kind.BROADCAST, root);
        arguments.plain(Kind.BROADCAST, options);
        Signature s = signature(Kind.BROADCAST, x, options).withRoot(root);
        return submit(s, options, x.dtype(), null, chooser.broadcast(x, root));
    }

    public Pending broadcast(Tensor x, int root, Options options) {
        arguments.root(Kind.BROADCAST, root);
        arguments.plain(Kind.BROADCAST, options);
        Signature s = signature(Kind.BROADCAST, x.dtype(), x.shape(), options).withRoot(root);
        return holding(x, () -> submit(s, options, x.dtype(), null, chooser.broadcast(Elements.of(x), root)));
    }

    /**
     * Segment r of the root's buffer becomes the buffer of rank r; the root's own segment stays where it is.
     *
     * @param x the whole buffer on the root, the segment elsewhere
     */
    public Pending scatter(Elements x, long[] counts, int root, Options options) {
        arguments.root(Kind.SCATTER, root);
        arguments.counts(Kind.SCATTER, counts, root == rank ? x.count() : total(counts));
        arguments.onHost(Kind.SCATTER, x);
        arguments.segment(Kind.SCATTER, x, counts, root);
        Signature s = counted(Kind.SCATTER, x, counts, options).withRoot(root);
        return submit(s, options, x.dtype(), null, chooser.scatter(x, counts.clone(), root));
    }

    /** The buffer of rank r becomes segment r of the root's buffer, where the root's own segment is in place. */
    public Pending gather(Elements x, long[] counts, int root, Options options) {
        arguments.root(Kind.GATHER, root);
        arguments.counts(Kind.GATHER, counts, root == rank ? x.count() : total(counts));
        arguments.onHost(Kind.GATHER, x);
        arguments.segment(Kind.GATHER, x, counts, root);
        Signature s = counted(Kind.GATHER, x, counts, options).withRoot(root);
        return submit(s, options, x.dtype(), null, chooser.gather(x, counts.clone(), root));
    }

    /**
     * Segment q of rank p's input becomes segment p of rank q's output; what is sent and what is expected is compared
     * before data moves.
     */
    public Pending allToAll(Elements input, long[] sends, Elements output, long[] receives, Options options) {
        arguments.onHost(Kind.ALL_TO_ALL, input);
        arguments.onHost(Kind.ALL_TO_ALL, output);
        arguments.counts(Kind.ALL_TO_ALL, sends, input.count());
        arguments.counts(Kind.ALL_TO_ALL, receives, output.count());
        require(
                input.dtype() == output.dtype() && sends[rank] == receives[rank],
                INVALID_ARGUMENT,
                "all-to-all of group %s: input and output must agree, got %s and %s, and %d and %d elements of rank %d"
                        + " itself",
                name,
                input.dtype(),
                output.dtype(),
                sends[rank],
                receives[rank],
                members[rank]);
        arguments.plain(Kind.ALL_TO_ALL, options);
        Signature s = signature(Kind.ALL_TO_ALL, input.dtype(), Shape.UNKNOWN, options);
        return submit(
                s, options, input.dtype(), null, chooser.allToAll(input, sends.clone(), output, receives.clone()));
    }

    /** Lets every rank read the elements of all ranks where they lie; see there for how long. */
    public PendingViews view(Elements x, Options options) {
        arguments.onHost(Kind.VIEW, x);
        arguments.plain(Kind.VIEW, options);
        PendingViews views = new PendingViews(communicator);
        Choice choice = new Choice("lend-all", new LendAll(x.address(), x.count(), views::there));
        submit(signature(Kind.VIEW, x, options), options, x.dtype(), null, choice, views.whole());
        return views;
    }

    /** Whether so many bytes are better {@link #view seen} by all ranks where they are used than all-reduced. */
    public boolean prefersViews(long bytes) {
        return chooser.prefersViews(bytes);
    }

    /** Ends when all ranks have called it. */
    public Pending barrier(Options options) {
        arguments.plain(Kind.BARRIER, options);
        return submit(Signature.of(Kind.BARRIER).withHow(how(options)), options, DType.U8, null, chooser.barrier());
    }

    /** Sends elements to a rank that calls {@link #receive}; without a name, the n-th send meets the n-th receive. */
    public Pending send(Elements x, int to, Options options) {
        return pair(x, rank, to, options);
    }

    public Pending receive(Elements x, int from, Options options) {
        return pair(x, from, rank, options);
    }

    private Pending pair(Elements x, int from, int to, Options options) {
        int other = from == rank ? to : from;
        arguments.member();
        jobRank(other);
        require(
                other != rank,
                INVALID_ARGUMENT,
                "send of group %s: rank %d can not send to itself",
                name,
                members[rank]);
        arguments.onHost(Kind.POINT_TO_POINT, x);
        arguments.plain(Kind.POINT_TO_POINT, options);
        int[] ends = {members[from], members[to]};
        Signature s = signature(Kind.POINT_TO_POINT, x, options).withCounts(members[from], members[to]);
        Choice choice = new Choice(
                "point-to-point",
                from == rank
                        ? new PointToPoint.Send(1, x.address(), x.count())
                        : new PointToPoint.Receive(0, x.address(), x.count()));
        Pending pending = new Pending(communicator);
        Call call = new Call(this, s, options, ends, x.dtype(), null, choice, pending);
        communicator.submit(() -> calls.begin(call));
        return pending;
    }

    /**
     * A group of some ranks of this one, in the given order. Every member of this group calls it with the same ranks, also
     * those that will not be in it; it can be used at once.
     */
    public Group subgroup(int... ranks) {
        arguments.member();
        int[] chosen = new int[ranks.length];
        long[] wide = new long[ranks.length];
        for (int i = 0; i < ranks.length; i++) {
            chosen[i] = jobRank(ranks[i]);
            wide[i] = ranks[i];
        }
        require(
                ranks.length > 0 && Arrays.stream(ranks).distinct().count() == ranks.length,
                INVALID_ARGUMENT,
                "subgroup of group %s: needs different ranks, got %s",
                name,
                Arrays.toString(ranks));
        Group group = new Group(communicator, calls.idOfNext(ranks), Arrays.toString(chosen), chosen);
        if (group.rank >= 0) communicator.submit(() -> communicator.groups().add(group));
        Signature s = Signature.of(Kind.SUBGROUP).withCounts(wide);
        Pending formed = submit(s, Options.DEFAULT, DType.U8, null, new Choice("agreement", Exchange::finish));
        group.isFormedWith(formed);
        formed.whenDone(error -> {
            if (error != null) communicator.submit(() -> group.failing().doom(error));
        });
        return group;
    }

    /**
     * Ends the group. Every member calls it after its last call; members may be under way in earlier ones. The handle ends
     * when all have called it and this rank's calls have ended: what the group kept is then given back.
     */
    public Pending close() {
        require(
                this != communicator.world(),
                FAILED_PRECONDITION,
                "group %s: it is closed with its communicator",
                name);
        Pending done = new Pending(communicator);
        if (rank < 0) {
            done.end(null);
            return done;
        }
        Choice nothing = new Choice("agreement", Exchange::finish);
        Call call = new Call(
                this,
                Signature.of(Kind.CLOSE),
                Options.DEFAULT,
                members,
                DType.U8,
                null,
                nothing,
                new Pending(communicator));
        communicator.submit(() -> calls.close(call, done));
        return done;
    }

    /**
     * Makes a new group of the members that are left. Every survivor calls it; whoever has not within half of the timeout
     * is left out.
     */
    public PendingGroup reform(Duration timeout) {
        arguments.member();
        PendingGroup pending = new PendingGroup(communicator);
        communicator.submit(() -> failing().reform(pending, timeout));
        return pending;
    }

    /**
     * A group of the same members in the place of this one, which has failed. Every member asks for it; it can be used at
     * once, and its first operation shows who is missing.
     */
    public Group renewed() {
        arguments.member();
        require(!isUsable(), FAILED_PRECONDITION, "group %s can still be used, and needs no other in its place", name);
        int next = generation + 1;
        String plain = generation == 1 ? name : name.substring(0, name.lastIndexOf(" ("));
        Group group = new Group(communicator, Hash.of(id, "renewed"), plain + " (" + next + ")", members, next);
        communicator.submit(() -> communicator.groups().add(group));
        return group;
    }

    /** A table of what algorithms are predicted to take, and which are chosen. */
    public String costs() {
        return communicator.costs().describe(chooser.hosts());
    }

    Pending submit(Signature s, Options options, DType dtype, Reduction reduction, Choice choice) {
        return submit(s, options, dtype, reduction, choice, new Pending(communicator));
    }

    private Pending submit(
            Signature s, Options options, DType dtype, Reduction reduction, Choice choice, Pending pending) {
        arguments.member();
        Call call = new Call(this, s, options, members, dtype, reduction, choice, pending);
        communicator.submit(() -> calls.begin(call));
        return pending;
    }

    /** A call on memory that it keeps until it has ended, whatever becomes of the tensor. */
    private static Pending holding(Tensor x, Supplier<Pending> call) {
        Tensor held = x.view(x.shape());
        try {
            Pending pending = call.get();
            pending.whenDone(_ -> held.release());
            return pending;
        } catch (RuntimeException e) {
            held.release();
            throw e;
        }
    }

    private Signature signature(Kind kind, Elements x, Options options) {
        return signature(kind, x.dtype(), Shape.of(x.count()), options);
    }

    Signature signature(Kind kind, DType dtype, Shape shape, Options options) {
        return Signature.of(kind, dtype, shape).withHow(how(options));
    }

    private Signature counted(Kind kind, Elements x, long[] counts, Options options) {
        arguments.plain(kind, options);
        return signature(kind, x.dtype(), Shape.of(total(counts)), options).withCounts(counts.clone());
    }

    String how(Options o) {
        String how = o.wire() == WireFormat.NONE ? "" : o.wire() + " on the wire";
        if (isDeterministic(o)) how += (how.isEmpty() ? "" : " ") + "deterministic";
        return how;
    }

    boolean isDeterministic(Options o) {
        return o.deterministic() || communicator.config().deterministic();
    }

    static long total(long[] counts) {
        return Arrays.stream(counts).sum();
    }

    Cards cards() {
        return cards;
    }

    Residuals residuals() {
        return residuals;
    }

    Calls calls() {
        return calls;
    }

    @Override
    Failing failing() {
        return calls.failing();
    }
}
