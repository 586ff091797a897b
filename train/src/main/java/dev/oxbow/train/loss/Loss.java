package dev.oxbow.train.loss;

import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.Value;

/** How far predictions are from targets: a number for each example, of which training lowers the mean. */
public interface Loss {

    /** One loss for each example, a vector as long as the batch. */
    Value of(Value prediction, Value target);

    /** What targets of such predictions look like, the batch first. */
    TensorType target(TensorType prediction);
}
