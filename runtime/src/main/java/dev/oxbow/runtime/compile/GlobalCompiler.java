package dev.oxbow.runtime.compile;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Node;
import dev.oxbow.graph.Rewrite;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.pass.Deduplicate;
import dev.oxbow.graph.pass.Fold;
import dev.oxbow.graph.pass.Inline;
import dev.oxbow.graph.pass.Loosen;
import dev.oxbow.graph.pass.Prune;
import dev.oxbow.runtime.DeviceSpec;
import dev.oxbow.runtime.SessionOptions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** The first half of compilation, from a cut graph to one part for each device. It knows devices by name only, and its parts can travel. */
public final class GlobalCompiler {
    private final List<DeviceSpec> devices;
    private final Placer placer;
    private final CostModel known;
    private final SessionOptions options;

    /** Those that ask for large values late. */
    private final Set<DeviceSpec> scarce;

    public GlobalCompiler(List<DeviceSpec> devices, Placer.Support support, SessionOptions options) {
        this(devices, support, options, null);
    }

    /** As above, placing nodes by what they cost; {@code costs} may be null. */
    public GlobalCompiler(List<DeviceSpec> devices, Placer.Support support, SessionOptions options, CostModel costs) {
        this.devices = devices;
        this.placer = new Placer(devices, support, options, costs);
        this.known = costs == null ? new CostModel() : costs;
        this.options = options;
        this.scarce = devices.stream()
                .filter(d -> options.lateReceives() || d.hasBudget())
                .collect(Collectors.toSet());
    }

    public List<Part> compile(Subgraph cut, Stages stages) {
        return compile(cut, Map.of(), Map.of(), stages);
    }

    /** As above, with what outlives a run where the {@link Anchors} of the whole graph say. */
    public List<Part> compile(Subgraph cut, Map<String, DeviceSpec> anchors, Stages stages) {
        return compile(cut, anchors, Map.of(), stages);
    }

    /** As above, of a graph whose nodes are {@code now} somewhere, and move only where that pays. */
    public List<Part> compile(
            Subgraph cut, Map<String, DeviceSpec> anchors, Map<String, DeviceSpec> now, Stages stages) {
        return stages.named(() -> {
            Subgraph s = stages.run(rewrites(), cut);
            Placement placed = placer.place(s, anchors, now);
            stages.placed(s, placed);
            return Partition.run(s, placed.devices(), scarce, known);
        });
    }

    /** The parts of a graph whose nodes name their devices, all of which are among these; whoever sent it has placed it. */
    public static List<Part> split(Subgraph placed, List<DeviceSpec> devices) {
        Map<String, DeviceSpec> byName = new HashMap<>();
        for (DeviceSpec d : devices) byName.put(d.name(), d);
        List<Node> nodes = placed.graph().nodes();
        DeviceSpec[] of = new DeviceSpec[nodes.size()];
        for (Node n : nodes) {
            of[n.id()] = byName.get(n.device());
            require(
                    of[n.id()] != null,
                    INVALID_ARGUMENT,
                    "Partition: node %s is for the device '%s', and those here are %s",
                    n.name(),
                    n.device(),
                    byName.keySet());
        }
        return Partition.run(placed, of);
    }

    /** Where what outlives runs of a session's graph is; nothing is known of it yet. */
    public Anchors anchors() {
        return new Anchors(placer);
    }

    private List<Rewrite> rewrites() {
        List<Rewrite> all = new ArrayList<>();
        all.add(new Inline());
        all.addAll(options.rewrites());
        // so that little crosses; where there is one device, its own half does all of it
        if (options.optimise() && devices.size() > 1)
            all.addAll(List.of(new Loosen(false), new Fold(), new Deduplicate(false), new Prune()));
        return all;
    }
}
