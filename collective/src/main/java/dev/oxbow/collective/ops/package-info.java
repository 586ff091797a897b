/**
 * Collectives as ops of a graph, with gradients; they find their groups as a service of the session. Start with {@link
 * dev.oxbow.collective.ops.AllReduce} and {@link dev.oxbow.collective.ops.Groups}.
 *
 * <p>Ranks match an op by its {@code key}, the node's name without one, and in loops by the iteration. Everything else
 * is compared by the group before data moves. Steps that make the same calls run one at a time, and after one that
 * failed the next brings the groups back to life.
 *
 * <p>An op that waits is a region of its own and starts as soon as its input exists, while the backward pass goes on.
 * The operation works on the tensor's own memory where nobody else reads it. An op may say where its inputs lie:
 * gradients that only an AllReduce reads are written into its bucket, memory that ranks of a host share, and are neither
 * packed nor unpacked.
 *
 * <p>Gradients are those of the sum of all ranks' losses: of an AllReduce the same AllReduce, ReduceScatter and
 * AllGather of each other, of a Broadcast the Reduce to its root, AllToAll with the rows swapped, RankSend and RankRecv
 * of each other.
 */
package dev.oxbow.collective.ops;
