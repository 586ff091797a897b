package dev.oxbow.train.export;

import static dev.oxbow.tensor.ErrorCode.UNIMPLEMENTED;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.NodeSpec;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.core.Const;
import dev.oxbow.graph.core.Identity;
import dev.oxbow.graph.pass.Prune;
import dev.oxbow.graph.pass.Rewriter;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.array.GatherV2;
import dev.oxbow.ops.state.ReadVariableOp;
import dev.oxbow.ops.state.ResourceGather;
import dev.oxbow.ops.state.VarHandleOp;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.train.Model;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What a model computes in evaluation, in a graph of its own, without what training added. */
record EvaluationGraph(Subgraph nodes) {

    /** The nodes behind the output, and those that set these variables. */
    static EvaluationGraph of(Model model, List<Parameter> variables) {
        List<Node> roots = new ArrayList<>(List.of(model.output().node()));
        for (Value x : model.inputs()) roots.add(x.node());
        for (Parameter p : variables) {
            roots.add(p.initialiser());
            roots.add(p.value().node());
        }
        Graph g = model.graph();
        Edge end = model.output().edge();
        Subgraph own = new Prune().run(new Subgraph(g, roots), null);
        if (own.graph() == g) own = Rewriter.each(own, (w, n) -> w.copy(n, w.inputs(n)));
        Edge y = own.roots().getFirst().edge(end.port());
        own.graph().add(new NodeSpec(Export.OUTPUT, new Identity(), List.of(y), List.of(), "", Map.of()));
        List<Node> all = new ArrayList<>(own.roots());
        all.set(0, own.graph().node(Export.OUTPUT));
        return new EvaluationGraph(new Subgraph(own.graph(), all));
    }

    Graph graph() {
        return nodes.graph();
    }

    /** The same with values in the place of variables. */
    Graph frozen(Map<String, Tensor> values) {
        Subgraph constant = Rewriter.each(nodes, (w, n) -> {
            switch (n.op()) {
                case VarHandleOp _ -> {} // its readers have the value
                case ReadVariableOp _ -> w.replace(n, value(n, values), List.of(), w.controls(n));
                case ResourceGather g -> {
                    Edge table = w.add(n, "/table", value(n, values), List.of(), List.of())
                            .edge(0);
                    Const batch = new Const(Tensor.scalar(g.batchDims()));
                    Edge axis = w.add(n, "/axis", batch, List.of(), List.of()).edge(0);
                    List<Edge> in = List.of(table, w.edge(n.input(1)), axis);
                    w.replace(n, new GatherV2(g.batchDims()), in, w.controls(n));
                }
                default -> {
                    for (Edge e : n.inputs())
                        require(
                                !(e.node().op() instanceof VarHandleOp),
                                UNIMPLEMENTED,
                                "Export: %s takes variable '%s' itself, so it can not be frozen (node %s)",
                                n.op().signature().name(),
                                e.node().name(),
                                n.name());
                    w.copy(n);
                }
            }
        });
        return new Prune().run(constant, null).graph();
    }

    private static Const value(Node reader, Map<String, Tensor> values) {
        Node variable = reader.input(0).node();
        require(
                variable.op() instanceof VarHandleOp v && values.containsKey(v.sharedName()),
                UNIMPLEMENTED,
                "Export: node %s reads a variable that is no parameter or state of the model",
                reader.name());
        return new Const(values.get(((VarHandleOp) variable.op()).sharedName()));
    }
}
