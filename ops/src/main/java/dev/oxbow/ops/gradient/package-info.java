/**
 * Differentiation, and the optimizers that use it: graphs in, larger graphs out.
 *
 * <p>Start with {@link dev.oxbow.ops.gradient.Gradients}; {@code Backprop} is the sweep, {@code LoopGradient} and
 * {@code CallGradients} do what loops, branches and calls need. What an op's gradient is stands in the op's own file
 * ({@link dev.oxbow.ops.Differentiable}).
 *
 * <p>Gradients are ordinary nodes: nothing here computes, and what is built can be differentiated again.
 *
 * {@snippet :
 * Parameter w = Parameter.of("w", Ops.in(new Graph()).constant(Tensor.of(Shape.of(2), 1f, 2f)));
 * Value loss = w.value().square().sum();
 * Value slope = Gradients.of(loss, w.value()).get(0); // 2 w, more of the same graph
 * Minimiser.Updates step = Minimiser.descent(0.1).minimise(loss, List.of(w));
 * try (Session session = Session.open(loss.graph())) {
 *     session.target(w.initialiser()).run();
 *     session.target(step.targets()).fetch(loss.edge(), slope.edge()).run().close();
 * }
 * boolean known = new GradientOps().ops().contains(SymbolicGradient.class.getName()); // gradients of functions, as TensorFlow names them
 * }
 */
package dev.oxbow.ops.gradient;
