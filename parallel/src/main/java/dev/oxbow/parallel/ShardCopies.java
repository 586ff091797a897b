package dev.oxbow.parallel;

import static dev.oxbow.tensor.ErrorCode.ABORTED;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Function;
import dev.oxbow.graph.FunctionRef;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.NodeSpec;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.core.Arg;
import dev.oxbow.graph.core.Const;
import dev.oxbow.graph.core.Placeholder;
import dev.oxbow.ops.state.AssignVariableOp;
import dev.oxbow.ops.state.ReadVariableOp;
import dev.oxbow.ops.state.VarHandleOp;
import dev.oxbow.parallel.ops.GateExport;
import dev.oxbow.parallel.ops.GateImport;
import dev.oxbow.parallel.ops.GradientPush;
import dev.oxbow.parallel.ops.VersionWait;
import dev.oxbow.runtime.Session;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Results;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Gives servers that have lost what they held the same from the places that hold it, too. */
final class ShardCopies {

    /*
     * A server that is lost takes a shard with it and the second place of another; both are read where they are still, and set in
     * one step of the server's own, by whoever is first. With the values goes what the gate has counted: a push that was taken
     * there is not taken again here. Both belong together if the gate says the same before and behind the values; nobody
     * pushes anything new meanwhile, since every worker first gives back what is lost.
     */

    private static final int LOOKS = 50;
    private static final String ONCE = "once/copies";

    private final Graph graph;
    private final Servers servers;
    private final Session session;

    /** By runs of a session of the cluster, to whose graph they are added. */
    ShardCopies(Graph graph, Servers servers, Session session) {
        this.graph = graph;
        this.servers = servers;
        this.session = session;
    }

    /** Whether each place of these servers has another that is still there, from which it is set then. */
    boolean restore(Set<Integer> lost) {
        int n = servers.devices().size();
        if (servers.copies() == 1) return false;
        for (int place = 0; place < servers.places(); place++)
            if (lost.contains(servers.host(place)) && lost.contains(servers.host((place + n) % (2 * n)))) return false;
        for (int place = 0; place < servers.places(); place++)
            if (lost.contains(servers.host(place))) copy((place + n) % (2 * n), place);
        return true;
    }

    /** The variables of a place, by name, as the updates there have them. */
    private Map<String, VarHandleOp> variables(int place) {
        Map<String, VarHandleOp> all = new TreeMap<>();
        for (Function f : servers.library().made().values())
            for (Node node : f.body().nodes())
                if (node.op() instanceof VarHandleOp v
                        && v.container().equals(servers.container(place))
                        && node.device().equals(servers.at(place))) all.put(Families.name(node), v);
        return all;
    }

    private void copy(int from, int to) {
        Map<String, VarHandleOp> there = variables(from), here = variables(to);
        if (there.isEmpty()) return;
        List<Edge> reads = new ArrayList<>();
        for (VarHandleOp v : there.values()) {
            Node handle = add(v, servers.at(from));
            reads.add(add(new ReadVariableOp(v.dtype()), servers.at(from), handle.edge(0))
                    .edge(0));
        }
        Edge state = add(new GateExport(Servers.TRAINING, servers.container(from)), servers.at(from))
                .edge(0);
        for (int i = 0; i < LOOKS; i++) {
            try (Results before = session.fetch(state).run();
                    Results values = session.fetch(reads.toArray(Edge[]::new)).run();
                    Results behind = session.fetch(state).run()) {
                if (!Arrays.equals(before.get(0).longs(), behind.get(0).longs())) continue;
                List<Tensor> all = new ArrayList<>();
                for (int k = 0; k < reads.size(); k++) all.add(values.get(k));
                all.add(behind.get(0));
                set(to, List.copyOf(here.values()), all);
                return;
            }
        }
        throw new OxbowException(
                ABORTED,
                "Plan: the copy of a shard on %s did not stand still, so %s can not take it over"
                        .formatted(servers.at(from), servers.at(to)));
    }

    private void set(int place, List<VarHandleOp> variables, List<Tensor> values) {
        Graph body = new Graph(servers.library());
        List<Node> arguments = new ArrayList<>(), writes = new ArrayList<>();
        List<String> names = new ArrayList<>();
        for (int i = 0; i < values.size(); i++) {
            Tensor t = values.get(i);
            Shape shape = i < variables.size() ? t.shape() : Shape.of(-1);
            NodeSpec spec = new NodeSpec("a" + i, new Arg(t.dtype(), i), List.of()).withDevice(servers.at(place));
            Node argument = body.source(null, spec, new TensorType(t.dtype(), shape));
            arguments.add(argument);
            names.add("a" + i);
            if (i < variables.size()) {
                Node handle = body.add(
                        new NodeSpec("v" + i, variables.get(i), List.of(), List.of(), servers.at(place), Map.of()));
                writes.add(body.add(new NodeSpec(
                        "set" + i,
                        new AssignVariableOp(false),
                        List.of(handle.edge(0), argument.edge(0)),
                        List.of(),
                        servers.at(place),
                        Map.of())));
            } else {
                GateImport op = new GateImport(Servers.TRAINING, servers.container(place));
                writes.add(body.add(
                        new NodeSpec("gate", op, List.of(argument.edge(0)), List.of(), servers.at(place), Map.of())));
            }
        }
        String name = "copies_" + graph.unique("copies").replace('/', '_') + "_" + place;
        servers.library().add(new Function(name, body, arguments, names, List.of(), List.of(), writes, Map.of()));
        push(place, new FunctionRef(name), values);
    }

    private void push(int place, FunctionRef update, List<Tensor> values) {
        List<Edge> inputs = new ArrayList<>();
        for (long constant : new long[] {servers.worker(), 0, 0})
            inputs.add(add(Combination.whole(DType.I64, constant), servers.at(place))
                    .edge(0));
        inputs.add(add(new Const(Tensor.allocate(DType.I64, Shape.of(0))), servers.at(place))
                .edge(0));
        List<Edge> fed = new ArrayList<>();
        for (Tensor t : values)
            fed.add(add(new Placeholder(t.dtype(), t.shape()), servers.at(place))
                    .edge(0));
        inputs.addAll(fed);
        GradientPush op = new GradientPush(ONCE, servers.container(place), update, 1, false);
        Node push = add(op, servers.at(place), inputs.toArray(Edge[]::new));
        VersionWait done = new VersionWait(ONCE, servers.container(place), 1, 0);
        Edge none = add(Combination.whole(DType.I64, 0), servers.at(place)).edge(0);
        Session.Run run = session.target(graph.add(new NodeSpec(
                graph.unique("copies/done"), done, List.of(none), List.of(push), servers.at(place), Map.of())));
        for (int i = 0; i < fed.size(); i++) run.feed(fed.get(i), values.get(i));
        run.run().close();
    }

    private Node add(Op op, String device, Edge... inputs) {
        String name = graph.unique("copies/" + op.signature().name());
        return graph.add(new NodeSpec(name, op, List.of(inputs), List.of(), device, Map.of()));
    }
}
