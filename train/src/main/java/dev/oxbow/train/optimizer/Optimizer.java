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
import dev.oxbow.ops.state.ReadVariableOp;
import dev.oxbow.tensor.DType;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * What training does with gradients: a rule, a schedule of its rate, and what happens before. It takes gradients, so it
 * does not matter who made or exchanged them. Immutable; each {@code with} gives another one.
 *
 * @param clip the greatest norm of all gradients together, 0 for any
 * @param limit the greatest absolute value of an element of a gradient, 0 for any
 * @param decay how much of itself a parameter loses in a step, times the rate, apart from its gradient
 * @param trains the names of parameters that are trained
 * @param accumulation how many batches make one step
 * @param average how much of itself the average of a parameter keeps in a step, 0 for no averages
 */
public record Optimizer(
        Rule rule,
        Schedule schedule,
        double clip,
        double limit,
        double decay,
        Predicate<String> trains,
        int accumulation,
        double average) {

    /** The nodes of one step, the variables they keep, and of these the averages of the parameters, in their order. */
    public record Updates(List<Node> nodes, List<Parameter> slots, List<Parameter> averages) {}

    public static Optimizer of(Rule rule, double rate) {
        return new Optimizer(rule, Schedule.constant(rate), 0, 0, 0, _ -> true, 1, 0);
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

    /**
     * A quasi-Newton method for losses without noise: each step should see all examples, and a rate of 1 is usual. It keeps
     * {@code 2 * memory + 2} copies of all parameters, on one device.
     */
    public static Optimizer lbfgs(double rate, int memory) {
        require(
                memory > 0,
                INVALID_ARGUMENT,
                "Optimizer: L-BFGS needs a memory of one change at least, got %d",
                memory);
        return of(new Lbfgs(memory), rate);
    }

    public Optimizer withSchedule(Schedule s) {
        return new Optimizer(rule, s, clip, limit, decay, trains, accumulation, average);
    }

    /** Scales all gradients together so that their norm is at most this (Pascanu et al., 2013). */
    public Optimizer withClipping(double globalNorm) {
        require(
                globalNorm > 0,
                INVALID_ARGUMENT,
                "Optimizer: the norm to clip at must be positive, got %s",
                globalNorm);
        return new Optimizer(rule, schedule, globalNorm, limit, decay, trains, accumulation, average);
    }

    /** Before its update a parameter of two axes or more becomes {@code w - rate * decay * w}. */
    public Optimizer withDecay(double d) {
        require(d >= 0, INVALID_ARGUMENT, "Optimizer: the decay must not be negative, got %s", d);
        return new Optimizer(rule, schedule, clip, limit, d, trains, accumulation, average);
    }

    /** Leaves parameters whose names do not pass as they are. */
    public Optimizer training(Predicate<String> names) {
        return new Optimizer(rule, schedule, clip, limit, decay, names, accumulation, average);
    }

    /** Brings each element of a gradient into [-limit, limit]. */
    public Optimizer withValueClipping(double most) {
        require(most > 0, INVALID_ARGUMENT, "Optimizer: the limit of gradients must be positive, got %s", most);
        return new Optimizer(rule, schedule, clip, most, decay, trains, accumulation, average);
    }

    /**
     * Makes one step of so many batches, as if they were one: gradients add up, each by its number of examples, and fewer
     * batches at the end of an epoch count as what they are. Gradients of tables are dense then.
     */
    public Optimizer withAccumulation(int batches) {
        require(batches > 0, INVALID_ARGUMENT, "Optimizer: a step needs a batch at least, got %d", batches);
        return new Optimizer(rule, schedule, clip, limit, decay, trains, batches, average);
    }

    /** Keeps {@code a = keep a + (1 - keep) w} of each parameter (Polyak and Juditsky, 1992); see {@code Trainer.averaged}. */
    public Optimizer withAverage(double keep) {
        require(keep > 0 && keep < 1, INVALID_ARGUMENT, "Optimizer: an average keeps a share in (0, 1), got %s", keep);
        return new Optimizer(rule, schedule, clip, limit, decay, trains, accumulation, keep);
    }

    /** Adds the updates of parameters by their gradients; {@code step} is the number of the step, an i64 scalar. */
    public Updates apply(List<Parameter> parameters, List<Value> gradients, Value step) {
        Slots slots = new Slots(rule.name(), step);
        Value rate = schedule.at(step.cast(DType.F64));
        List<Value> all = limit == 0 ? gradients : limited(gradients);
        if (clip > 0) all = clipped(all);
        List<Node> nodes = new ArrayList<>();
        if (rule instanceof JointRule joint) nodes.addAll(together(joint, slots, parameters, all, rate));
        else
            for (int i = 0; i < parameters.size(); i++) {
                Parameter p = parameters.get(i);
                nodes.add(decayed(slots, p, all.get(i), rate.cast(p.value().dtype())));
            }
        List<Parameter> averages = new ArrayList<>();
        for (int i = 0; average > 0 && i < parameters.size(); i++) {
            Parameter p = parameters.get(i), a = slots.likeStart(p, "average");
            averages.add(a);
            try (Graph.Scope _ = p.value().graph().after(nodes.get(i))) {
                Value now = Value.apply(new ReadVariableOp(p.value().dtype()), p.handle());
                Value difference = a.value().minus(now).times(1 - average);
                nodes.add(Rule.node(a, new AssignSubVariableOp(), a.handle(), difference));
            }
        }
        return new Updates(nodes, slots.all(), averages);
    }

    private List<Node> together(
            JointRule joint, Slots slots, List<Parameter> parameters, List<Value> gradients, Value rate) {
        require(decay == 0, INVALID_ARGUMENT, "Optimizer: %s has no decay, got %s", rule.name(), decay);
        require(!parameters.isEmpty(), INVALID_ARGUMENT, "Optimizer: there is no parameter to train");
        DType dtype = parameters.getFirst().value().dtype();
        for (Parameter p : parameters)
            require(
                    p.value().dtype() == dtype,
                    INVALID_ARGUMENT,
                    "Optimizer: %s needs parameters of one dtype, '%s' is %s and '%s' is %s",
                    rule.name(),
                    parameters.getFirst().name(),
                    dtype,
                    p.name(),
                    p.value().dtype());
        return joint.all(slots, parameters, gradients, rate.cast(dtype));
    }

    /** Every element in [-limit, limit]; rows that repeat are added up first, so sparse gradients become dense. */
    private List<Value> limited(List<Value> gradients) {
        return gradients.stream()
                .map(g -> Value.of(g.edge()).clipped(-limit, limit))
                .toList();
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
