package dev.oxbow.cluster.master;

import dev.oxbow.cluster.master.Programs.Key;
import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Rewrite;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.runtime.DeviceSpec;
import dev.oxbow.runtime.compile.CostModel;
import dev.oxbow.runtime.compile.Part;
import dev.oxbow.runtime.compile.Placement;
import dev.oxbow.runtime.compile.Stages;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.wire.TensorCodec;
import dev.oxbow.wire.proto.CostGraphDef;
import dev.oxbow.wire.proto.GraphOptions;
import dev.oxbow.wire.proto.StepStats;
import dev.oxbow.wire.trace.Spans;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Which steps of a session are looked at, and what is made of that: files, and costs by which its graph is placed again. */
final class Watching {
    private static final Logger LOG = LoggerFactory.getLogger(Watching.class);
    private static final int KINDS = 256;

    private final MasterOptions options;
    private final GraphOptions wishes;
    private final CostModel costs;
    private final Executor slow;
    private final TraceFolder traces;
    private final BiFunction<Key, Stages.Watcher, List<Part>> compile;
    private final Consumer<Key> anew;
    private final Map<Key, Kind> kinds = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Key, Kind> eldest) {
            return size() > KINDS;
        }
    };

    /** A kind of run: how often it ran, where its nodes are now, and where they were before they moved last. */
    private static final class Kind {
        long steps;
        Placed placed;
        Placed before;
    }

    /** Where the nodes of a kind of run are, and what the last measured step took that ran so; NaN where none did. */
    private record Placed(Subgraph graph, Placement where, double took) {
        Map<String, DeviceSpec> byName() {
            return where.byName(graph.graph());
        }

        boolean isAs(Placed other) {
            return other != null && byName().equals(other.byName());
        }

        Placed taking(double nanos) {
            return new Placed(graph, where, nanos);
        }
    }

    /** {@code costs} are null where nodes are not placed by them; {@code anew} has the program of a kind made again. */
    Watching(
            MasterOptions options,
            GraphOptions wishes,
            CostModel costs,
            Executor slow,
            BiFunction<Key, Stages.Watcher, List<Part>> compile,
            Consumer<Key> anew) {
        this.options = options;
        this.wishes = wishes;
        this.costs = costs;
        this.slow = slow;
        this.traces = new TraceFolder(options.traceFolder(), options.traceFiles());
        this.compile = compile;
        this.anew = anew;
    }

    /** One step that begins. */
    final class Step {
        private final Key key;
        private final boolean asked;
        private final boolean costsAsked;
        private final boolean sampled;
        private final boolean measured;
        private final long from = System.nanoTime();

        private Step(Key key, boolean asked, boolean costsAsked, boolean sampled, boolean measured) {
            this.key = key;
            this.asked = asked;
            this.costsAsked = costsAsked;
            this.sampled = sampled;
            this.measured = measured;
        }

        boolean isTraced() {
            return asked || sampled || measured;
        }

        /** What is to happen at the end of the step, before others hear of it. */
        BiConsumer<ClusterStep.Result, OxbowException> ending(BiConsumer<ClusterStep.Result, OxbowException> then) {
            if (!isTraced()) return then;
            return (result, error) -> {
                long took = System.nanoTime() - from;
                if (error != null) then.accept(null, error);
                else if (sampled || measured || costsAsked) slow.execute(() -> then.accept(seen(result, took), null));
                else then.accept(result, null); // it goes as it came
            };
        }

        private ClusterStep.Result seen(ClusterStep.Result r, long took) {
            CostGraphDef graph = null;
            try {
                if (sampled) traces.write(r.stats());
                if (measured || costsAsked) graph = learn(key, r.stats(), took);
            } catch (RuntimeException e) {
                LOG.warn("a step was traced in vain: {}", e.getMessage(), e);
            }
            return new ClusterStep.Result(r.fetched(), asked ? r.stats() : null, r.partitions(), graph);
        }
    }

    /** A step of a kind begins, whose client has asked for a trace, and for costs, or not. */
    Step step(Key key, boolean asked, boolean costsAsked) {
        if (!asked && options.traceEvery() == 0 && wishes.getBuildCostModel() == 0)
            return new Step(key, false, false, false, false);
        long number;
        synchronized (this) {
            number = kinds.computeIfAbsent(key, _ -> new Kind()).steps++;
        }
        boolean sampled = options.traceEvery() > 0 && number % options.traceEvery() == options.traceEvery() - 1;
        long counted = number - wishes.getBuildCostModelAfter() + 1, every = wishes.getBuildCostModel();
        return new Step(key, asked, asked && costsAsked, sampled, every > 0 && counted > 0 && counted % every == 0);
    }

    /** Learns from a step, has its kind placed again where that changes anything, and gives what its nodes cost. */
    private CostGraphDef learn(Key key, StepStats stats, long took) {
        Placed ran;
        synchronized (this) {
            ran = kinds.get(key) == null ? null : kinds.get(key).placed;
        }
        if (ran == null) ran = place(key);
        CostModel model = costs == null ? new CostModel() : costs;
        model.learn(ran.graph.graph(), Spans.of(stats));
        if (costs != null) {
            Placed now = place(key);
            boolean stays = now.isAs(ran);
            synchronized (this) {
                Kind k = kinds.computeIfAbsent(key, _ -> new Kind());
                k.placed = stays ? now.taking(took) : now;
                if (!stays) k.before = ran.taking(took);
            }
            if (!stays) anew.accept(key);
        }
        return graph(ran, model);
    }

    private Placed place(Key key) {
        Placed[] at = new Placed[1];
        compile.apply(key, watcher(p -> at[0] = p));
        return at[0];
    }

    private static Stages.Watcher watcher(Consumer<Placed> then) {
        return new Stages.Watcher() {
            @Override
            public void stage(Rewrite stage, Subgraph made) {}

            @Override
            public void part(Part part) {}

            @Override
            public void placed(Subgraph graph, Placement where) {
                then.accept(new Placed(graph, where, Double.NaN));
            }
        };
    }

    /** Notes where the nodes of a kind of run are; null where nobody wants to know. */
    Stages.Watcher noting(Key key) {
        if (costs == null) return null;
        return watcher(p -> {
            synchronized (this) {
                Kind k = kinds.computeIfAbsent(key, _ -> new Kind());
                k.placed = p.isAs(k.placed) ? p.taking(k.placed.took) : p;
            }
        });
    }

    /** Where the nodes of a kind of run are now, as far as that counts. */
    synchronized Map<String, DeviceSpec> now(Key key) {
        Kind k = kinds.get(key);
        return costs == null || k == null || k.placed == null ? Map.of() : k.placed.byName();
    }

    private static CostGraphDef graph(Placed p, CostModel model) {
        CostGraphDef.Builder all = CostGraphDef.newBuilder();
        Map<Node, Integer> roots = new HashMap<>();
        for (Node r : p.graph.roots()) roots.put(r, 1);
        for (Node n : p.graph.graph().nodes()) {
            CostGraphDef.Node.Builder b = all.addNodeBuilder()
                    .setName(n.name())
                    .setId(n.id())
                    .setDevice(p.where.devices()[n.id()].name())
                    .setIsFinal(roots.containsKey(n))
                    .setComputeCost(Math.round(model.nanos(n) / 1e3))
                    .setComputeTime(Math.round(model.nanos(n)))
                    .setInaccurate(!model.isMeasured(n));
            for (Edge e : n.inputs())
                b.addInputInfoBuilder().setPrecedingNode(e.node().id()).setPrecedingPort(e.port());
            for (Node c : n.controls()) b.addControlInput(c.id());
            for (int i = 0; i < n.outputCount(); i++)
                b.addOutputInfoBuilder()
                        .setSize(n.output(i).isAllocatable() ? n.output(i).byteSize() : -1)
                        .setAliasInputPort(-1)
                        .setShape(TensorCodec.encodeShape(n.output(i).shape()))
                        .setDtype(TensorCodec.encodeType(n.output(i).dtype()));
        }
        return all.build();
    }

    /** Where the nodes of a kind of run are and why, and what was predicted and measured. */
    String explain(Key key) {
        Placed p = place(key), now, before;
        synchronized (this) {
            Kind k = kinds.get(key);
            now = k == null ? null : k.placed;
            before = k == null ? null : k.before;
        }
        String listing = "place: gives each node a device%n".formatted() + p.where.listing(p.graph.graph());
        if (p.isAs(now) && !Double.isNaN(now.took))
            listing += "  measured:  %.3f ms, %.0f %% of what was predicted%n"
                    .formatted(now.took / 1e6, 100 * now.took / p.where.predicted());
        if (before != null)
            listing += "  before:    %.3f ms were measured where nodes were before they moved%n"
                    .formatted(before.took / 1e6);
        return listing;
    }
}
