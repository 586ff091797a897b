package dev.oxbow.train.optimizer;

import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.ops.Parameter;
import dev.oxbow.ops.Slices;
import dev.oxbow.ops.Value;
import java.util.Arrays;

/** How one parameter follows its gradient: the formula of an optimizer. */
public interface Rule {

    /** The word in the names of its slots, such as {@code adam}. */
    String name();

    /** The node that changes {@code p} by its gradient, which has its shape; {@code rate} is a scalar of its dtype. */
    Node dense(Slots slots, Parameter p, Value gradient, Value rate);

    /**
     * The node that changes the rows of {@code p} that a gradient touches; rows may repeat, so a rule that is not
     * linear adds them up first. A rule that moves all of a parameter in every step makes the gradient dense.
     */
    default Node sparse(Slots slots, Parameter p, Slices gradient, Value rate) {
        return dense(slots, p, Value.of(gradient.edge()), rate);
    }

    /** Adds an op on these inputs beside {@code p}. */
    static Node node(Parameter p, Op op, Value... inputs) {
        return p.value().graph().add(op, Arrays.stream(inputs).map(Value::edge).toList());
    }
}
