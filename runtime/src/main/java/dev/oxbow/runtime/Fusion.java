package dev.oxbow.runtime;

import dev.oxbow.graph.Kernel;
import dev.oxbow.kernels.expr.ElementwiseKernel;
import dev.oxbow.tensor.Shape;

/**
 * Elementwise instructions of one shape that run as one kernel, at the place of the last of them. {@code outputs} are
 * pairs of member and port that others read, in the kernel's order.
 */
record Fusion(int[] members, int[] inputSlots, Shape shape, int[][] outputs, ElementwiseKernel kernel) {

    /** The kernel over a bound call's operands. */
    Kernel bound() {
        return c -> {
            InstructionContext x = (InstructionContext) c;
            kernel.run(x.parallel(), x.outputs[0].shape(), x.inputs, x.outputs);
        };
    }
}
