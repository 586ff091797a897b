package dev.oxbow.train.optimizer;

import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.state.AssignSubVariableOp;
import dev.oxbow.ops.state.AssignVariableOp;
import dev.oxbow.tensor.DType;

/**
 * LAMB (You et al., 2020): Adam's direction with decay, {@code r = m' / (sqrt(v') + epsilon) + decay w}, at a length that
 * follows the layer's: {@code w -= rate |w| / |r| r}, where a norm of zero counts as a ratio of one.
 */
record Lamb(double beta1, double beta2, double epsilon, double decay) implements Rule {

    @Override
    public String name() {
        return "lamb";
    }

    @Override
    public Node dense(Slots slots, Parameter p, Value gradient, Value rate) {
        DType dtype = p.value().dtype();
        Parameter m = slots.of(p, "m", 0), v = slots.of(p, "v", 0);
        Value first = m.value().times(beta1).plus(gradient.times(1 - beta1));
        Value second = v.value().times(beta2).plus(gradient.square().times(1 - beta2));
        Value one = rate.constantLike(1);
        Value unbiased = first.dividedBy(one.minus(slots.power(beta1, dtype)));
        Value scale =
                second.dividedBy(one.minus(slots.power(beta2, dtype))).sqrt().plus(epsilon);
        Value r = unbiased.dividedBy(scale).plus(p.value().times(decay));
        Value length = norm(p.value()), step = norm(r), zero = rate.constantLike(0);
        Value ratio = Value.where(length.minimum(step).greater(zero), length.dividedBy(step), one);
        Value move = r.times(ratio.times(rate));
        Graph g = p.value().graph();
        Node keepM = Rule.node(p, new AssignVariableOp(false), m.handle(), first);
        Node keepV = Rule.node(p, new AssignVariableOp(false), v.handle(), second);
        try (Graph.Scope _ = g.after(keepM, keepV)) {
            return Rule.node(p, new AssignSubVariableOp(), p.handle(), move);
        }
    }

    private static Value norm(Value x) {
        return x.square().sum().sqrt();
    }
}
