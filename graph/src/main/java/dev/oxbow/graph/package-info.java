/**
 * What a model is: ops, nodes, graphs and functions, and how they come from elsewhere and go there. Start with {@link
 * dev.oxbow.graph.Op} and {@link dev.oxbow.graph.Graph}.
 *
 * <p>An op is a record with a {@link dev.oxbow.graph.Signature}; its components are the attributes that do not follow
 * from the inputs. {@code infer} is called when a node is made, with what is known then, and again before the kernel
 * runs, with every shape and value at hand. What a kernel relies on is demanded there, by the checks of {@link
 * dev.oxbow.graph.InferenceContext}, and holds when it runs; it looks only at values, and at variables, which may change
 * at any time. Outputs of known shape are allocated before it; {@code suppliesOutputs} says that a kernel gives its own.
 *
 * <p>A kernel borrows its inputs. {@code KernelContext.keep} is the one way to hold one beyond the step: shared where
 * its memory is counted, copied where a plan lent it. {@code defer} hands out a completion; waits listen to the step's
 * {@link dev.oxbow.graph.Cancellation}. A kernel that computes is never interrupted.
 *
 * <p>Graphs from outside: what breaks a signature is refused with the graph. A node at which only inference fails stays
 * in it as {@code core.Invalid}, and its error belongs to the runs that need it. {@link dev.oxbow.graph.Limits} bound
 * what few bytes can ask for; they belong to the function library, which a graph shares with its functions and the
 * products of passes. An extension that fails leaves nothing behind. Ops come from {@link dev.oxbow.graph.OpProvider}s
 * found by ServiceLoader; a class is loaded when its op is first used.
 *
 * <p>A {@link dev.oxbow.graph.Variable} serves both of TensorFlow's forms. A reference is a handle that is dereferenced
 * when its consumer runs; a read shares memory, an update copies while readers hold it.
 */
package dev.oxbow.graph;
