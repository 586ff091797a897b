package dev.oxbow.parallel;

import dev.oxbow.collective.WireFormat;
import dev.oxbow.collective.ops.AllGather;
import dev.oxbow.collective.ops.AllReduce;
import dev.oxbow.graph.Edge;
import dev.oxbow.graph.FunctionLibrary;
import dev.oxbow.graph.FunctionRef;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.NodeSpec;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.core.Arg;
import dev.oxbow.graph.core.Const;
import dev.oxbow.ops.math.Mul;
import dev.oxbow.ops.state.VarHandleOp;
import dev.oxbow.parallel.Updates.Part;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/** Writes the update that a server does as a function, whose arguments are what so many workers have pushed. */
final class Pushing {
    private final Layouts layouts;
    private final Part part;
    private final FunctionLibrary library;
    /** Of the variable behind a handle. */
    private final Function<Node, String> homes;

    private final String device;
    private final String container;
    private final Graph body;
    private final Map<Edge, Edge> edges = new HashMap<>();
    private final Map<Node, Node> nodes = new HashMap<>();
    private final List<Edge> pushed = new ArrayList<>();
    private final List<Node> arguments = new ArrayList<>();

    /**
     * For a library.
     *
     * @param device of all but variables; empty for wherever it may be
     * @param container of variables that name none
     */
    Pushing(
            Layouts layouts,
            Part part,
            FunctionLibrary library,
            Function<Node, String> homes,
            String device,
            String container) {
        this.layouts = layouts;
        this.part = part;
        this.library = library;
        this.homes = homes;
        this.device = device;
        this.container = container;
        this.body = new Graph(library);
        pushed.addAll(part.sums);
        pushed.addAll(part.rows);
        pushed.addAll(part.same);
    }

    /** What a worker pushes, in order: edges of the graph on whole values. */
    List<Edge> pushed() {
        return pushed;
    }

    /** The function, by a name that all workers give it that have the same. */
    FunctionRef function(int pushes, double scale) {
        arguments(pushes);
        combine(pushes, scale);
        return written(List.of());
    }

    /** The function that exchanges with other ranks what this one has pushed; one that only helps does no more. */
    FunctionRef exchanging(Plan plan, boolean helps, int priority) {
        arguments(1);
        List<Node> ends = exchange(plan, priority);
        return helps ? named(ends) : written(ends);
    }

    /** With the writes, behind what has come from elsewhere. */
    private FunctionRef written(List<Node> after) {
        List<Node> sorted = new ArrayList<>(part.body);
        sorted.sort((a, b) -> Integer.compare(a.id(), b.id()));
        for (Node n : sorted) copy(n, after.size() > 1 && Updates.isWrite(n) ? after : List.of());
        return named(part.writes.stream().map(nodes::get).toList());
    }

    private FunctionRef named(List<Node> ends) {
        String digest = "update_" + digest(), name = digest;
        for (int i = 1;
                library.has(name)
                        && !hasConstants(library.get(new FunctionRef(name)).body());
                i++) name = digest + "_" + i;
        if (!library.has(name)) {
            List<String> names = new ArrayList<>();
            for (int i = 0; i < arguments.size(); i++) names.add("a" + i);
            library.add(
                    new dev.oxbow.graph.Function(name, body, arguments, names, List.of(), List.of(), ends, Map.of()));
        }
        return new FunctionRef(name);
    }

    /** What must be alike in one exchange. */
    private record Kind(DType dtype, String reduction, boolean coded, boolean pushed) {}

    /** Whether rows are exchanged by the update, rather than before. */
    static boolean isGathered(Layout l) {
        return l instanceof Layout.Split s && s.axis() == 0 && !s.strewn();
    }

    private List<Node> exchange(Plan plan, int priority) {
        Map<Kind, List<Edge>> kinds = new LinkedHashMap<>();
        List<Node> ends = new ArrayList<>();
        for (int i = 0; i < pushed.size(); i++) {
            Edge e = pushed.get(i), mine = arguments.get(i).edge(0);
            edges.put(e, mine);
            if (layouts.made(e) instanceof Layout.Partial p) {
                boolean large = Buckets.isLarge(e);
                boolean coded =
                        large && e.type().dtype() == DType.F32 && !plan.wire().equals(WireFormat.NONE);
                Kind kind = new Kind(e.type().dtype(), p.reduction(), coded, large && plan.helpers() > 0);
                kinds.computeIfAbsent(kind, _ -> new ArrayList<>()).add(e);
            } else if (part.rows.contains(e) && isGathered(layouts.made(e))) {
                Edge all = add(
                        e.node().name() + "/gather",
                        new AllGather(true, "", "late rows of " + e.name(), 0),
                        List.of(mine));
                edges.put(e, all);
                ends.add(all.node());
            }
        }
        kinds.forEach((kind, members) -> {
            String name = members.getFirst().name();
            AllReduce op = Exchange.sum(plan, kind.reduction, kind.coded, kind.pushed)
                    .withKey("late sum of " + name)
                    .withPriority(priority);
            Node all = add(
                            name + "/exchange",
                            op,
                            members.stream().map(edges::get).toList())
                    .node();
            for (int i = 0; i < members.size(); i++) edges.put(members.get(i), all.edge(i));
            ends.add(all);
        });
        return ends;
    }

    private void arguments(int pushes) {
        for (int p = 0; p < pushes; p++) {
            for (int i = 0; i < pushed.size(); i++) {
                Edge e = pushed.get(i);
                TensorType t = e.type();
                if (part.rows.contains(e))
                    t = t.withShape(t.shape().withDim(layouts.made(e).axis(), -1));
                int index = p * pushed.size() + i;
                arguments.add(body.source(
                        null, new NodeSpec("a" + index, new Arg(t.dtype(), index), List.of()).withDevice(device), t));
            }
        }
    }

    private void combine(int pushes, double scale) {
        for (int i = 0; i < pushed.size(); i++) {
            Edge e = pushed.get(i);
            List<Edge> all = new ArrayList<>();
            for (int p = 0; p < pushes; p++)
                all.add(arguments.get(p * pushed.size() + i).edge(0));
            Combination.Adder to = (suffix, op, inputs, _) -> add(e.node().name() + suffix, op, inputs);
            if (part.sums.contains(e)) {
                String reduction = ((Layout.Partial) layouts.made(e)).reduction();
                Edge sum = Combination.of(reduction, all, to);
                if (scale != 1 && reduction.equals("sum")) {
                    Edge by = to.add("/scale", Combination.real(e.type().dtype(), scale), List.of(), null);
                    sum = to.add("/scaled", new Mul(), List.of(sum, by), null);
                }
                edges.put(e, sum);
            } else if (part.rows.contains(e)) {
                edges.put(e, Combination.joined(layouts.made(e).axis(), all, to));
            } else {
                edges.put(e, all.getFirst());
            }
        }
    }

    private Edge add(String name, Op op, List<Edge> inputs) {
        NodeSpec spec = new NodeSpec(body.unique(name), op, inputs, List.of(), device, Map.of());
        return body.add(spec).edge(0);
    }

    private void copy(Node n, List<Node> after) {
        List<Edge> inputs = new ArrayList<>();
        for (Edge e : n.inputs()) inputs.add(edges.get(e));
        Set<Node> controls = new LinkedHashSet<>(after);
        for (Node c : Updates.before(n)) if (nodes.containsKey(c)) controls.add(nodes.get(c));
        Op op = n.op() instanceof VarHandleOp v ? named(n, v, container) : n.op();
        String where = n.op() instanceof VarHandleOp ? homes.apply(n) : device;
        Node made =
                body.derive(n, new NodeSpec(body.unique(n.name()), op, inputs, List.copyOf(controls), where, Map.of()));
        nodes.put(n, made);
        for (int i = 0; i < n.outputCount(); i++) edges.putIfAbsent(n.edge(i), made.edge(i));
    }

    /** A handle that finds its variable by name wherever it stands, in the container of the job unless it names another. */
    static VarHandleOp named(Node n, VarHandleOp v, String job) {
        return new VarHandleOp(
                v.container().isEmpty() ? job : v.container(),
                Families.name(n),
                v.debugName(),
                v.dtype(),
                v.shape(),
                v.allowedDevices());
    }

    /** Of all but large constants: start values, which every worker may have drawn for itself. */
    private String digest() {
        MessageDigest hash = Meeting.hash();
        for (Node n : body.nodes()) Meeting.add(hash, n);
        return HexFormat.of().formatHex(hash.digest(), 0, 12);
    }

    /** Whether another body of the same digest is the same. */
    private boolean hasConstants(Graph other) {
        for (Node n : body.nodes())
            if (n.op() instanceof Const c
                    && !isSame(c.value(), ((Const) other.node(n.id()).op()).value())) return false;
        return true;
    }

    private static boolean isSame(Tensor a, Tensor b) {
        if (a == b) return true;
        return a.dtype().isObject() ? Arrays.equals(a.objects(), b.objects()) : Arrays.equals(a.bytes(), b.bytes());
    }
}
