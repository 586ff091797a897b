package dev.oxbow.train;

import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.state.AssignAddVariableOp;
import dev.oxbow.ops.state.AssignVariableOp;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * Gradients of several batches as those of one large batch: {@code sum(examples * gradient) / sum(examples)}, where each
 * gradient is that of a batch's mean loss.
 */
final class Accumulation {
    private final Graph graph;
    private final int batches;
    private final Parameter number;
    private final Parameter examples;
    private final List<Parameter> sums = new ArrayList<>();

    Accumulation(Graph graph, int batches) {
        this.graph = graph;
        this.batches = batches;
        this.number = Parameter.named(graph.unique("accumulated/batches"), constant(Tensor.scalar(0L)));
        this.examples = Parameter.named(graph.unique("accumulated/examples"), constant(Tensor.scalar(0.0)));
    }

    private Value constant(Tensor t) {
        return Ops.in(graph).constant(t);
    }

    /** A number for each batch of all steps, by which it draws its random numbers. */
    Value number(Value step) {
        return step.times(batches).plus(number.value());
    }

    /** The nodes that add what a batch has; they count it when {@code after} and all sums are done. */
    List<Node> add(List<Parameter> trained, List<Value> gradients, Value losses, List<Node> after) {
        Value rows = losses.runtimeSize().cast(DType.F64);
        List<Node> nodes = new ArrayList<>();
        for (int i = 0; i < trained.size(); i++) {
            Parameter p = trained.get(i);
            DType dtype = p.value().dtype();
            Tensor zeros = Tensor.zeros(dtype, p.value().shape());
            Parameter sum = Parameter.named(graph.unique(p.name() + "/accumulated"), constant(zeros));
            sums.add(sum);
            Value part = Value.of(gradients.get(i).edge()).times(rows.cast(dtype));
            nodes.add(node(new AssignAddVariableOp(), sum, part));
        }
        nodes.add(node(new AssignAddVariableOp(), examples, rows));
        List<Node> all = new ArrayList<>(after);
        all.addAll(nodes);
        try (Graph.Scope _ = graph.after(all.toArray(Node[]::new))) {
            nodes.add(node(new AssignAddVariableOp(), number, constant(Tensor.scalar(1L))));
        }
        return nodes;
    }

    /** The gradients of the large batch. */
    List<Value> means(List<Parameter> trained) {
        List<Value> means = new ArrayList<>();
        for (int i = 0; i < trained.size(); i++)
            means.add(sums.get(i)
                    .value()
                    .dividedBy(examples.value().cast(trained.get(i).value().dtype())));
        return means;
    }

    /** The nodes that begin the next large batch. */
    List<Node> clear() {
        return sums().stream()
                .map(s -> node(
                        new AssignVariableOp(false), s, Value.of(s.initialiser().input(1))))
                .toList();
    }

    List<Parameter> sums() {
        List<Parameter> all = new ArrayList<>(sums);
        all.add(examples);
        all.add(number);
        return List.copyOf(all);
    }

    private Node node(Op op, Parameter p, Value value) {
        return graph.add(op, List.of(p.handle().edge(), value.edge()));
    }
}
