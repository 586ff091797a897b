package dev.oxbow.parallel;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Function;
import dev.oxbow.graph.FunctionRef;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.NodeSpec;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.core.Arg;
import dev.oxbow.ops.math.Mul;
import dev.oxbow.ops.state.VarHandleOp;
import dev.oxbow.parallel.Updates.Part;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Writes the update that a server does as a function, whose arguments are what so many workers have pushed. */
final class Pushing {
    private final Layouts layouts;
    private final Servers servers;
    private final Part part;
    private final Graph body;
    private final Map<Edge, Edge> edges = new HashMap<>();
    private final Map<Node, Node> nodes = new HashMap<>();
    private final List<Edge> pushed = new ArrayList<>();
    private final List<Node> arguments = new ArrayList<>();

    Pushing(Layouts layouts, Servers servers, Part part) {
        this.layouts = layouts;
        this.servers = servers;
        this.part = part;
        this.body = new Graph(servers.library());
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
        List<Node> sorted = new ArrayList<>(part.body);
        sorted.sort((a, b) -> Integer.compare(a.id(), b.id()));
        for (Node n : sorted) copy(n);
        String name = "update_" + digest();
        if (!servers.library().has(name)) {
            List<String> names = new ArrayList<>();
            for (int i = 0; i < arguments.size(); i++) names.add("a" + i);
            List<Node> writes = part.writes.stream().map(nodes::get).toList();
            servers.library().add(new Function(name, body, arguments, names, List.of(), List.of(), writes, Map.of()));
        }
        return new FunctionRef(name);
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
                        null, new NodeSpec("a" + index, new Arg(t.dtype(), index), List.of()).withDevice(device()), t));
            }
        }
    }

    private String device() {
        return servers.devices().get(part.server);
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
        NodeSpec spec = new NodeSpec(body.unique(name), op, inputs, List.of(), device(), Map.of());
        return body.add(spec).edge(0);
    }

    private void copy(Node n) {
        List<Edge> inputs = new ArrayList<>();
        for (Edge e : n.inputs()) inputs.add(edges.get(e));
        Set<Node> controls = new LinkedHashSet<>();
        for (Node c : n.controls()) if (nodes.containsKey(c)) controls.add(nodes.get(c));
        Op op = n.op() instanceof VarHandleOp v ? named(n, v, servers.container()) : n.op();
        Node made = body.derive(
                n, new NodeSpec(body.unique(n.name()), op, inputs, List.copyOf(controls), device(), Map.of()));
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

    private String digest() {
        StringBuilder text = new StringBuilder();
        for (Node n : body.nodes())
            text.append(n.name())
                    .append(n.op())
                    .append(n.inputs())
                    .append(n.controls())
                    .append('\n');
        byte[] hash = Meeting.hash().digest(text.toString().getBytes(StandardCharsets.UTF_8));
        return HexFormat.of().formatHex(hash, 0, 12);
    }
}
