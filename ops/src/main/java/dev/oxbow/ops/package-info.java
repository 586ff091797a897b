/**
 * The fluent API, and what ops are written with. Start with {@link dev.oxbow.ops.Value} and {@link dev.oxbow.ops.Ops}.
 *
 * <p>A {@code Value} is an output of a node with the arithmetic of ops as methods; {@link dev.oxbow.ops.Parameter} is a
 * variable to train, {@link dev.oxbow.ops.ControlFlow} makes branches, loops and calls of lambdas.
 *
 * <p>Families: {@link dev.oxbow.ops.UnaryOp} and {@link dev.oxbow.ops.BinaryOp} give everything for one formula, {@link
 * dev.oxbow.ops.Stateful} names the ways of working with state. An op is {@link dev.oxbow.ops.Differentiable}, {@link
 * dev.oxbow.ops.NotDifferentiable}, or its gradient is an error. {@code gradient} differentiates; no family needs it.
 */
package dev.oxbow.ops;
