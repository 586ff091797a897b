/**
 * Variables, their updates and the steps of optimizers. Start with {@link dev.oxbow.ops.state.ReadVariableOp} and
 * {@code OptimizerStep}: an optimizer is one formula for its dense and sparse, referenced and resource forms, and can
 * take the product or the formula of its gradient in. An update copies only while somebody holds the value that was
 * read.
 */
package dev.oxbow.ops.state;
