package dev.oxbow.train.optimizer;

import dev.oxbow.graph.Node;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Slices;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.state.ResourceApplyGradientDescent;
import dev.oxbow.ops.state.ResourceScatterSub;

/** {@code w -= rate * g}. */
record Sgd() implements Rule {

    @Override
    public String name() {
        return "sgd";
    }

    @Override
    public Node dense(Slots slots, Parameter p, Value gradient, Value rate) {
        return Rule.node(p, new ResourceApplyGradientDescent(), p.handle(), rate, gradient);
    }

    @Override
    public Node sparse(Slots slots, Parameter p, Slices gradient, Value rate) {
        return Rule.node(
                p,
                new ResourceScatterSub(),
                p.handle(),
                gradient.indices(),
                gradient.values().times(rate));
    }
}
