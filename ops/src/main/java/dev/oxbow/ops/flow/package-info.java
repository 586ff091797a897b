/**
 * Tensor arrays, lists, stacks, optionals, checks and prints. Start with {@link dev.oxbow.ops.flow.TensorListPushBack},
 * which gradients of loops are made of, and {@code TensorArrays}. A list is a value that shares its elements; an array
 * and a stack belong to a step and go with it.
 */
package dev.oxbow.ops.flow;
