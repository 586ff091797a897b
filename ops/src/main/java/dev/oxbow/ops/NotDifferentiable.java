package dev.oxbow.ops;

import dev.oxbow.graph.Op;

/** An op at which a path of gradients ends, as TensorFlow's does at Shape or ArgMax. An op that is neither is an error. */
public interface NotDifferentiable extends Op {}
