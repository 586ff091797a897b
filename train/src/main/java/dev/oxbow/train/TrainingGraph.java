package dev.oxbow.train;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.array.Pack;
import dev.oxbow.ops.gradient.Gradients;
import dev.oxbow.ops.state.AssignVariableOp;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.train.loss.Metric;
import dev.oxbow.train.optimizer.Optimizer;
import java.util.ArrayList;
import java.util.List;

/**
 * What training and evaluation run, added to the graph of a model.
 *
 * @param targets the placeholder of what predictions should be
 * @param loss the mean over a batch in training, with penalties
 * @param gradients of the trained parameters, in their order
 * @param totals what a batch adds to each metric in training
 * @param evaluated the sum and the number of losses, then what a batch adds to each metric, in evaluation
 * @param step the nodes that a step of training runs
 * @param state all that training changes: parameters, states, the step, the slots of the optimizer
 */
record TrainingGraph(
        Value targets,
        Value loss,
        List<Value> gradients,
        List<Value> totals,
        List<Value> evaluated,
        Node[] step,
        List<Parameter> state) {

    static TrainingGraph of(Trainer.Config config) {
        Model model = config.model();
        Graph g = model.graph();
        Ops ops = Ops.in(g);
        Parameter count = Parameter.named(g.unique("step"), ops.constant(Tensor.scalar(0L)));
        TensorType type = config.loss().target(model.output().edge().type());
        Value targets = ops.placeholder("targets", type.dtype(), type.shape());

        Model.Pass pass = model.train(count.value());
        Value loss = config.loss().of(pass.output(), targets).mean();
        for (Value p : pass.build().penalties()) loss = loss.plus(p);
        List<Parameter> trained = model.parameters().stream()
                .filter(p -> config.optimizer().trains().test(p.name()))
                .toList();
        List<Value> gradients = gradients(loss, trained);
        Optimizer.Updates updates = config.optimizer().apply(trained, gradients, count.value());

        List<Node> step = new ArrayList<>(updates.nodes());
        step.addAll(pass.build().updates());
        try (Graph.Scope _ = g.after(step.toArray(Node[]::new))) {
            Value next = count.value().plus(1);
            step.add(g.add(new AssignVariableOp(false), List.of(count.handle().edge(), next.edge())));
        }

        List<Value> totals = new ArrayList<>(), evaluated = new ArrayList<>();
        evaluated.add(sums(config.loss().of(model.output(), targets)));
        for (Metric m : config.metrics()) {
            totals.add(m.sums(pass.output(), targets));
            evaluated.add(m.sums(model.output(), targets));
        }
        List<Parameter> state = new ArrayList<>(model.variables());
        state.add(count);
        state.addAll(updates.slots());
        return new TrainingGraph(
                targets, loss, gradients, totals, evaluated, step.toArray(Node[]::new), List.copyOf(state));
    }

    private static Value sums(Value losses) {
        return Value.apply(
                new Pack(0), losses.sum().cast(DType.F64), losses.runtimeSize().cast(DType.F64));
    }

    /** Gradients at the handles, so that reads of rows count as well. */
    private static List<Value> gradients(Value loss, List<Parameter> trained) {
        List<Value> gradients = Gradients.of(
                List.of(loss), trained.stream().map(Parameter::handle).toList());
        for (int i = 0; i < gradients.size(); i++)
            require(
                    gradients.get(i) != null,
                    INVALID_ARGUMENT,
                    "Trainer: the loss does not depend on parameter '%s' %s; use it in the model, or freeze it with"
                            + " Optimizer.training",
                    trained.get(i).name(),
                    trained.get(i).value().edge().type());
        return gradients;
    }
}
