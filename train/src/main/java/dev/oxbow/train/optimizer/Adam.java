package dev.oxbow.train.optimizer;

import dev.oxbow.graph.Node;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Value;
import dev.oxbow.ops.state.ResourceApplyAdam;
import dev.oxbow.tensor.DType;

/**
 * Adam (Kingma and Ba, 2015): {@code m = b1 m + (1 - b1) g, v = b2 v + (1 - b2) g^2, w -= rate sqrt(1 - b2^t) / (1 - b1^t)
 * m / (sqrt(v) + epsilon)}. The powers follow from the step, so they are no state. Rows that a sparse gradient does not
 * touch move by their momentum, as in the paper.
 */
record Adam(double beta1, double beta2, double epsilon) implements Rule {

    @Override
    public String name() {
        return "adam";
    }

    @Override
    public Node dense(Slots slots, Parameter p, Value gradient, Value rate) {
        DType dtype = p.value().dtype();
        return Rule.node(
                p,
                new ResourceApplyAdam(false),
                p.handle(),
                slots.of(p, "m", 0).handle(),
                slots.of(p, "v", 0).handle(),
                slots.power(beta1, dtype),
                slots.power(beta2, dtype),
                rate,
                rate.constantLike(beta1),
                rate.constantLike(beta2),
                rate.constantLike(epsilon),
                gradient);
    }
}
