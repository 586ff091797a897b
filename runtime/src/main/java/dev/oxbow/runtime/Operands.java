package dev.oxbow.runtime;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.tensor.Tensor;

/** The context of a fused kernel, which takes all of its operands at once. */
public interface Operands extends KernelContext {
    Tensor[] inputs();

    Tensor[] outputs();
}
