package dev.oxbow.collective;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.collective.algorithm.Algorithm;
import dev.oxbow.collective.algorithm.CheckedAllToAll;
import dev.oxbow.collective.algorithm.DirectReduce;
import dev.oxbow.collective.algorithm.DirectReduceScatter;
import dev.oxbow.collective.algorithm.DisseminationBarrier;
import dev.oxbow.collective.algorithm.FlatGather;
import dev.oxbow.collective.algorithm.FlatScatter;
import dev.oxbow.collective.algorithm.PushPullAllReduce;
import dev.oxbow.collective.algorithm.RingAllGather;
import dev.oxbow.collective.algorithm.RingReduceScatter;
import dev.oxbow.collective.algorithm.TopKAllReduce;
import dev.oxbow.collective.algorithm.TopKAllReduce.Kept;
import dev.oxbow.collective.algorithm.TreeBroadcast;
import dev.oxbow.collective.algorithm.TreeReduce;
import dev.oxbow.collective.codec.Codec;
import dev.oxbow.collective.codec.CodedExchange;
import dev.oxbow.collective.cost.CostModel;
import dev.oxbow.collective.cost.Hosts;
import dev.oxbow.collective.cost.Method;
import dev.oxbow.tensor.Fabric;
import java.util.ArrayList;
import java.util.List;

/** Chooses the algorithm of a call, alike on all ranks: the wished one, or the cheapest by the communicator's cost model. */
final class Chooser {
    private static final long EAGER_BYTES = 64 << 10;

    private final Group group;
    private final int[] hostOf;
    private final Hosts hosts;
    private Chosen last;

    /** A method and what it was chosen for: calls of one kind follow each other. */
    private record Chosen(
            CostModel costs, long bytes, boolean deterministic, boolean ordered, boolean coded, Method method) {}

    Chooser(Group group) {
        this.group = group;
        hostOf = group.communicator().hosts(group.members());
        hosts = Hosts.of(hostOf).withShared(group.communicator().shares(group.members()));
    }

    Hosts hosts() {
        return hosts;
    }

    Choice allReduce(Elements x, Reduction reduction, Options options, List<Kept> kept) {
        if (x.isOnCard()) return onCards(Fabric.Kind.ALL_REDUCE, x, -1, reduction, options);
        require(
                !Cards.NAME.equals(options.algorithm()),
                INVALID_ARGUMENT,
                "all-reduce of group %s: cards move what lies on them, and these elements are the host's",
                group.name());
        if (options.wire().isTopK()) return topK(x, reduction, options, kept);
        require(kept == null, INVALID_ARGUMENT, "all-reduce: only top-k keeps values, not %s", options.wire());
        int helpers = options.algorithm() == null ? -1 : Options.helpers(options.algorithm());
        if (helpers >= 0) return pushPull(x, helpers, options);
        boolean deterministic = group.isDeterministic(options), ordered = !reduction.isCommutative();
        Codec codec = options.wire().codec();
        Method method = options.algorithm() != null
                ? Method.named(options.algorithm())
                : cheapest(x.bytes(), deterministic, ordered, codec != null);
        require(
                (!deterministic || method.isSerial())
                        && (!ordered || method.isOrdered())
                        && (codec == null || method.isCoded()),
                INVALID_ARGUMENT,
                "all-reduce of group %s: algorithm %s can not be used%s%s%s",
                group.name(),
                method,
                deterministic ? " in deterministic mode" : "",
                ordered ? " with " + reduction + ", which is not commutative" : "",
                codec == null ? "" : " with " + options.wire() + " on the wire");
        long chunk = costs().chunk(method, hosts, x.count(), x.dtype().size());
        Algorithm algorithm = method.allReduce(x.address(), x.count(), chunk, hostOf);
        if (codec != null)
            return new Choice(method + " " + options.wire(), e -> algorithm.start(new CodedExchange(e, codec)));
        boolean small = method == Method.FLAT || method == Method.DOUBLING;
        return new Choice(method.toString(), algorithm, small && x.count() > 0 && x.bytes() <= EAGER_BYTES);
    }

    /** One piece of work of cards, in place. */
    private Choice onCards(Fabric.Kind kind, Elements x, int peer, Reduction reduction, Options options) {
        return onCards(List.of(work(kind, x, peer, reduction)), x, reduction, options);
    }

    private static Fabric.Work work(Fabric.Kind kind, Elements x, int peer, Reduction r) {
        Fabric.Combining how = r == null ? null : Cards.combining(r);
        return new Fabric.Work(kind, x.address(), x.address(), x.count(), x.dtype(), how, peer);
    }

    private Choice onCards(List<Fabric.Work> all, Elements x, Reduction reduction, Options options) {
        return group.cards().choice(x.space()::fabric, all, options, reduction, null);
    }

    /** The same for each segment, whose rank gives or gets it. */
    private Choice onCards(Fabric.Kind kind, Elements x, long[] counts, Reduction reduction, Options options) {
        List<Fabric.Work> all = new ArrayList<>();
        long at = 0;
        for (int r = 0; r < counts.length; r++) {
            all.add(work(kind, x.slice(at, counts[r]), r, reduction));
            at += counts[r];
        }
        return onCards(all, x, reduction, options);
    }

    private Choice pushPull(Elements x, int helpers, Options options) {
        require(
                helpers < group.size(),
                INVALID_ARGUMENT,
                "all-reduce of group %s: %d helpers of %d ranks leave no worker",
                group.name(),
                helpers,
                group.size());
        Algorithm algorithm = new PushPullAllReduce(x.address(), x.count(), helpers, chunk(Method.DIRECT, x));
        Codec codec = options.wire().codec();
        return codec == null
                ? new Choice(options.algorithm(), algorithm)
                : new Choice(
                        options.algorithm() + " " + options.wire(), e -> algorithm.start(new CodedExchange(e, codec)));
    }

    private Method cheapest(long bytes, boolean deterministic, boolean ordered, boolean coded) {
        Chosen c = last;
        if (c != null
                && c.costs == costs()
                && c.bytes == bytes
                && c.deterministic == deterministic
                && c.ordered == ordered
                && c.coded == coded) return c.method;
        Method method = costs().allReduce(hosts, bytes, deterministic, ordered, coded);
        last = new Chosen(costs(), bytes, deterministic, ordered, coded, method);
        return method;
    }

    /** With what is kept where the caller says, or, where that is null, by the group under the name of the call. */
    private Choice topK(Elements x, Reduction reduction, Options options, List<Kept> kept) {
        require(
                options.name() != null && reduction.isLinear() && options.algorithm() == null,
                INVALID_ARGUMENT,
                "all-reduce of group %s: %s on the wire needs a name, a sum or mean, and no algorithm, got %s",
                group.name(),
                options.wire(),
                reduction);
        long k = x.count() == 0 ? 0 : options.wire().chosen(x.count());
        return new Choice(options.wire().toString(), e -> {
            List<Kept> where = kept != null ? kept : own(options.name(), x.count());
            new TopKAllReduce(x.address(), x.count(), k, where).start(e);
        });
    }

    private List<Kept> own(String name, long count) {
        long address = group.residuals().of(name, count);
        return List.of(new Kept(0, count, address, address));
    }

    Choice reduce(Elements x, Reduction reduction, int root, Options options) {
        checkNoWish(Kind.REDUCE, options);
        if (x.isOnCard()) return onCards(Fabric.Kind.REDUCE, x, root, reduction, options);
        if (!reduction.isCommutative() || group.isDeterministic(options))
            return new Choice("direct", new DirectReduce(x.address(), x.count(), root, chunk(Method.DIRECT, x)));
        return new Choice("tree", new TreeReduce(x.address(), x.count(), root, chunk(Method.TREE, x)));
    }

    Choice reduceScatter(Elements x, long[] counts, Reduction reduction, Options options) {
        checkNoWish(Kind.REDUCE_SCATTER, options);
        if (x.isOnCard()) return onCards(Fabric.Kind.REDUCE, x, counts, reduction, options);
        Method method =
                costs().reduceScatter(hosts, x.bytes(), group.isDeterministic(options), !reduction.isCommutative());
        long chunk = chunk(method, x);
        return new Choice(
                method.toString(),
                method == Method.RING
                        ? new RingReduceScatter(x.address(), counts, chunk)
                        : new DirectReduceScatter(x.address(), counts, chunk));
    }

    Choice allGather(Elements x, long[] counts) {
        if (x.isOnCard()) return onCards(Fabric.Kind.BROADCAST, x, counts, null, Options.DEFAULT);
        return new Choice("ring", new RingAllGather(x.address(), counts, chunk(Method.RING, x)));
    }

    Choice broadcast(Elements x, int root) {
        if (x.isOnCard()) return onCards(Fabric.Kind.BROADCAST, x, root, null, Options.DEFAULT);
        return new Choice("tree", new TreeBroadcast(x.address(), x.count(), root, chunk(Method.TREE, x)));
    }

    Choice scatter(Elements x, long[] counts, int root) {
        return new Choice("flat", new FlatScatter(x.address(), counts, root));
    }

    Choice gather(Elements x, long[] counts, int root) {
        return new Choice("flat", new FlatGather(x.address(), counts, root));
    }

    Choice allToAll(Elements input, long[] sends, Elements output, long[] receives) {
        return new Choice(
                "pairwise", new CheckedAllToAll(group.members(), input.address(), sends, output.address(), receives));
    }

    boolean prefersViews(long bytes) {
        return costs().prefersViews(hosts, bytes);
    }

    Choice barrier() {
        return new Choice("dissemination", new DisseminationBarrier(), true);
    }

    private CostModel costs() {
        return group.communicator().costs();
    }

    private long chunk(Method method, Elements x) {
        return costs().chunk(method, hosts, x.count(), x.dtype().size());
    }

    private void checkNoWish(Kind kind, Options options) {
        require(
                options.algorithm() == null,
                INVALID_ARGUMENT,
                "%s of group %s: only an all-reduce can wish an algorithm, got %s",
                kind,
                group.name(),
                options.algorithm());
    }
}
