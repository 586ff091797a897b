/**
 * Stages that turn one graph into another: pure, linear, each tested alone. Start with {@link
 * dev.oxbow.graph.Rewrite} and {@link dev.oxbow.graph.pass.Rewriter}.
 *
 * <p>The runtime's compilers hold the lists of stages. Those that know ops are in {@code dev.oxbow.ops.rewrite}. {@link
 * dev.oxbow.graph.pass.Verifier} says what holds for a graph after every stage, and is run there in tests.
 *
 * <p>Under a memory budget {@code Infer} finds shapes again from those of the arguments, and {@link
 * dev.oxbow.graph.pass.FitMemory} changes the graph so that a step fits what is left. {@code StepMemory} simulates the
 * order of nodes with the lifetimes of their outputs in the pool's block sizes; views share memory, values of unknown
 * size count as nothing, and 1/32 of what is left is kept free for what kernels allocate. {@code Reorder} takes, of the
 * nodes that may run, the one that frees most or allocates least. {@code Swap} parks values on the host, where a device has
 * a place there, as long as that costs no time. {@code Recompute} drops pure values that wait through
 * the peak and computes them again, as {@code name/again}, right before their next reader. Nodes with effects keep their
 * order, random ops are never repeated, and results are equal bit for bit. Where kernels of several nodes are known ahead
 * ({@link dev.oxbow.graph.pass.JoinedNodes}), what only passes through them counts as nothing, and what comes out is compared
 * with the plan that follows.
 */
package dev.oxbow.graph.pass;
