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
 * @param nodes what runs in training
 * @param state all that training changes: parameters, states, the step, the slots of the optimizer
 * @param count the number of steps, which is written behind all else that a step writes
 * @param sums of gradients and examples over the batches of a step; zero between steps
 * @param trained what the optimizer changes
 * @param averages of the trained parameters, in their order, where the optimizer keeps them
 */
record TrainingGraph(
        Value targets,
        Value loss,
        List<Value> gradients,
        List<Value> totals,
        List<Value> evaluated,
        Steps nodes,
        List<Parameter> state,
        Parameter count,
        List<Parameter> sums,
        List<Parameter> trained,
        List<Parameter> averages) {

    /** All that has a start value. */
    List<Parameter> variables() {
        List<Parameter> all = new ArrayList<>(state);
        all.addAll(sums);
        return all;
    }

    /**
     * What runs in training.
     *
     * @param accumulate the nodes that each batch runs where several make a step; none where each one does
     * @param step the nodes that a step runs
     * @param broken how many gradients are not finite, asked before the step where losses are scaled; else null
     * @param skip the nodes that run instead of the step where some are not
     */
    record Steps(Node[] accumulate, Node[] step, Value broken, Node[] skip) {}

    static TrainingGraph of(Trainer.Config config) {
        Model model = config.model();
        Graph g = model.graph();
        Ops ops = Ops.in(g);
        Parameter count = Parameter.named(g.unique("step"), ops.constant(Tensor.scalar(0L)));
        TensorType type = config.loss().target(model.output().edge().type());
        Value targets = ops.placeholder("targets", type.dtype(), type.shape());

        int batches = config.optimizer().accumulation();
        LossScale scale = config.precision() == DType.F16 ? new LossScale(g) : null;
        Accumulation micro = batches == 1 && scale == null ? null : new Accumulation(g, batches);
        Model.Pass pass = model.train(micro == null ? count.value() : micro.number(count.value()));
        Value losses, loss;
        try (Graph.Scope _ = g.scope("loss")) {
            losses = config.loss().of(pass.output(), targets);
            loss = mean(losses, pass.build().penalties());
        }
        List<Parameter> trained = model.parameters().stream()
                .filter(p -> config.optimizer().trains().test(p.name()))
                .toList();
        List<Value> gradients =
                scale == null ? gradients(loss, trained) : scale.unscaled(gradients(scale.scaled(loss), trained));
        List<Node> each = new ArrayList<>(pass.build().updates());
        if (micro != null) each.addAll(micro.add(trained, gradients, losses, each));
        Optimizer.Updates updates;
        try (Graph.Scope _ = g.scope("update")) {
            updates =
                    config.optimizer().apply(trained, micro == null ? gradients : micro.means(trained), count.value());
        }

        List<Node> step = new ArrayList<>(updates.nodes()), skip = new ArrayList<>();
        if (micro == null) step.addAll(each);
        try (Graph.Scope _ = g.after(step.toArray(Node[]::new))) {
            step.addAll(next(count, micro));
            if (scale != null) step.addAll(scale.grow());
        }
        if (scale != null) skip.addAll(next(count, micro));
        if (scale != null) skip.addAll(scale.shrink());

        List<Parameter> state = new ArrayList<>(model.variables());
        state.add(count);
        state.addAll(updates.slots());
        if (scale != null) state.addAll(scale.state());
        return new TrainingGraph(
                targets,
                loss,
                gradients,
                totals(config, pass.output(), targets),
                evaluated(config, targets),
                new Steps(
                        micro == null ? new Node[0] : each.toArray(Node[]::new),
                        step.toArray(Node[]::new),
                        scale == null ? null : scale.broken(micro.sums()),
                        skip.toArray(Node[]::new)),
                List.copyOf(state),
                count,
                micro == null ? List.of() : micro.sums(),
                trained,
                updates.averages());
    }

    private static List<Value> totals(Trainer.Config config, Value output, Value targets) {
        try (Graph.Scope _ = output.graph().scope("metrics")) {
            return config.metrics().stream().map(m -> m.sums(output, targets)).toList();
        }
    }

    private static List<Value> evaluated(Trainer.Config config, Value targets) {
        Value output = config.model().output();
        List<Value> all = new ArrayList<>();
        try (Graph.Scope _ = output.graph().scope("evaluation")) {
            all.add(sums(config.loss().of(output, targets)));
            for (Metric m : config.metrics()) all.add(m.sums(output, targets));
        }
        return List.copyOf(all);
    }

    private static Value mean(Value losses, List<Value> penalties) {
        Value loss = losses.mean();
        for (Value p : penalties) loss = loss.plus(p);
        return loss;
    }

    /** The nodes that end a step: it is counted, and the next one begins without gradients. */
    private static List<Node> next(Parameter count, Accumulation micro) {
        Value next = count.value().plus(1);
        List<Node> nodes = new ArrayList<>(List.of(next.graph()
                .add(new AssignVariableOp(false), List.of(count.handle().edge(), next.edge()))));
        if (micro != null) nodes.addAll(micro.clear());
        return nodes;
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
