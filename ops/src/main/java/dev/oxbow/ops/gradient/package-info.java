/**
 * Differentiation, and the optimizers that use it: graphs in, larger graphs out.
 *
 * <p>Start with {@link dev.oxbow.ops.gradient.Gradients}; {@code Backprop} is the sweep, {@code LoopGradient} and
 * {@code CallGradients} do what loops, branches and calls need. What an op's gradient is stands in the op's own file
 * ({@link dev.oxbow.ops.Differentiable}).
 *
 * <p>Gradients are ordinary nodes: nothing here computes, and what is built can be differentiated again.
 */
package dev.oxbow.ops.gradient;
