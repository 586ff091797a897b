package dev.oxbow.ops;

import dev.oxbow.graph.Op;
import java.util.List;

/** An op with a gradient: it builds graph and never computes, so it is placed, fused and differentiated like any other. */
public interface Differentiable extends Op {
    /** The gradient of the loss with respect to each input, null where there is none. */
    List<Value> gradient(GradientContext g);
}
