package dev.oxbow.train.optimizer;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Slices;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.math.AddN;
import dev.oxbow.ops.state.AssignSubVariableOp;
import dev.oxbow.tensor.DType;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * What training does with gradients: a rule, a schedule of its rate, and what happens before. It takes gradients, so it
 * does not matter who made or exchanged them. Immutable; each {@code with} gives another one.
 *
 * @param clip the greatest norm of all gradients together, 0 for any
 * @param decay how much of itself a parameter loses in a step, times the rate, apart from its gradient
 * @param trains the names of parameters that are trained
 */
public record Optimizer(Rule rule, Schedule schedule, double clip, double decay, Predicate<String> trains) {

    /** The nodes of one step, and the variables they keep. */
    public record Updates(List<Node> nodes, List<Parameter> slots) {}

    public static Optimizer of(Rule rule, double rate) {
        return new Optimizer(rule, Schedule.constant(rate), 0, 0, _ -> true);
    }

    public static Optimizer sgd(double rate) {
        return of(new Sgd(), rate);
    }

    public static Optimizer momentum(double rate, double momentum) {
        return of(new Momentum(momentum, false), rate);
    }

    public static Optimizer nesterov(double rate, double momentum) {
        return of(new Momentum(momentum, true), rate);
    }

    public static Optimizer adagrad(double rate) {
        return of(new Adagrad(0.1, 1e-7), rate);
    }

    public static Optimizer rmsProp(double rate) {
        return of(new RmsProp(0.9, 0, 1e-7), rate);
    }

    public static Optimizer adam(double rate) {
        return of(new Adam(0.9, 0.999, 1e-8), rate);
    }

    /** Adam with decay apart from the gradient (Loshchilov and Hutter, 2019). */
    public static Optimizer adamW(double rate, double decay) {
        return adam(rate).withDecay(decay);
    }

    public static Optimizer lamb(double rate, double decay) {
        return of(new Lamb(0.9, 0.999, 1e-6, decay), rate);
    }

    public static Optimizer ftrl(double rate, double l1, double l2) {
        return of(new Ftrl(l1, l2, 0.1), rate);
    }

    public Optimizer withSchedule(Schedule s) {
        return new Optimizer(rule, s, clip, decay, trains);
    }

    /** Scales all gradients together so that their norm is at most this (Pascanu et al., 2013). */
    public Optimizer withClipping(double globalNorm) {
        require(
                globalNorm > 0,
                INVALID_ARGUMENT,
                "Optimizer: the norm to clip at must be positive, got %s",
                globalNorm);
        return new Optimizer(rule, schedule, globalNorm, decay, trains);
    }

    /** Before its update a parameter of two axes or more becomes {@code w - rate * decay * w}. */
    public Optimizer withDecay(double d) {
        require(d >= 0, INVALID_ARGUMENT, "Optimizer: the decay must not be negative, got %s", d);
        return new Optimizer(rule, schedule, clip, d, trains);
    }

    /** Leaves parameters whose names do not pass as they are. */
    public Optimizer training(Predicate<String> names) {
        return new Optimizer(rule, schedule, clip, decay, names);
    }

    /** Adds the updates of parameters by their gradients; {@code step} is the number of the step, an i64 scalar. */
    public Updates apply(List<Parameter> parameters, List<Value> gradients, Value step) {
        Slots slots = new Slots(rule.name(), step);
        Value rate = schedule.at(step.cast(DType.F64));
        List<Value> all = clip == 0 ? gradients : clipped(gradients);
        List<Node> nodes = new ArrayList<>();
        for (int i = 0; i < parameters.size(); i++) {
            Parameter p = parameters.get(i);
            nodes.add(decayed(slots, p, all.get(i), rate.cast(p.value().dtype())));
        }
        return new Updates(nodes, slots.all());
    }

    /** The update behind the decay, which waits for the gradient: by then the step has read what it needs of the parameter. */
    private Node decayed(Slots slots, Parameter p, Value gradient, Value rate) {
        if (decay == 0 || p.value().shape().rank() < 2) return update(slots, p, gradient, rate);
        Graph g = p.value().graph();
        Node ready = gradient instanceof Slices rows ? rows.values().node() : gradient.node();
        Node shrunk;
        try (Graph.Scope _ = g.after(ready)) {
            Value loss = p.value().times(rate.times(decay));
            shrunk = Rule.node(p, new AssignSubVariableOp(), p.handle(), loss);
        }
        try (Graph.Scope _ = g.after(shrunk)) {
            return update(slots, p, gradient, rate);
        }
    }

    private Node update(Slots slots, Parameter p, Value gradient, Value rate) {
        return gradient instanceof Slices rows
                ? rule.sparse(slots, p, rows, rate)
                : rule.dense(slots, p, gradient, rate);
    }

    /** All gradients times {@code min(1, clip / norm)}; sparse ones stay sparse. */
    private List<Value> clipped(List<Value> gradients) {
        Value[] squares = gradients.stream()
                .map(g -> (g instanceof Slices rows ? Value.of(rows.edge()) : g)
                        .square()
                        .sum())
                .toArray(Value[]::new);
        Value norm = Value.apply(new AddN(), squares).sqrt();
        Value scale = norm.constantLike(clip).dividedBy(norm.maximum(norm.constantLike(clip)));
        return gradients.stream()
                .map(g -> g instanceof Slices rows
                        ? new Slices(rows.values().times(scale), rows.indices(), rows.denseShape())
                        : g.times(scale))
                .toList();
    }
}
