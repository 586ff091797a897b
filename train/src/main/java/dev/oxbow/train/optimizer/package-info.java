/**
 * How parameters follow their gradients. A {@link dev.oxbow.train.optimizer.Rule} is the formula for one parameter, one in
 * a file; {@link dev.oxbow.train.optimizer.Optimizer} adds what concerns all of them: the schedule, clipping, what is frozen.
 *
 * {@snippet :
 * Optimizer adam = Optimizer.adamW(1e-3, 0.01)
 *         .withSchedule(Schedule.warmup(100, Schedule.cosine(1e-3, 1e-5, 10_000)))
 *         .withClipping(1)
 *         .withAccumulation(4)
 *         .training(name -> !name.startsWith("embedding"));
 * }
 *
 * {@snippet :
 * // a rule of one's own: the sign of the gradient
 * record Sign() implements Rule {
 *     public String name() {
 *         return "sign";
 *     }
 *
 *     public Node dense(Slots slots, Parameter p, Value gradient, Value rate) {
 *         Value step = gradient.sign().times(rate).times(slots.of(p, "trust", 1).value());
 *         return Rule.node(p, Ops.named("AssignSubVariableOp", Map.of("dtype", DType.F32)), p.handle(), step);
 *     }
 * }
 *
 * static boolean sees(Rule rule) {
 *     return rule instanceof JointRule; // all parameters at once, as L-BFGS does
 * }
 * }
 */
package dev.oxbow.train.optimizer;
