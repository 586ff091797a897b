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
 * <p>An AllReduce with the algorithm {@code cards} is done where its tensors lie, in the order of their device, and waits
 * only for the others' agreement.
 *
 * <p>Gradients are those of the sum of all ranks' losses: of an AllReduce the same AllReduce, ReduceScatter and
 * AllGather of each other, of a Broadcast the Reduce to its root, AllToAll with the rows swapped, RankSend and RankRecv
 * of each other.
 *
 * {@snippet :
 * // collectives as ops of a graph; a session needs the groups that they name
 * static Session open(Communicator ranks, Value gradient) {
 *     Value sum = Value.apply(AllReduce.of(Reduction.SUM).withKey("w"), gradient);
 *     Value rows = Value.apply(AllGather.even(), gradient), first = Value.apply(Broadcast.from(0), gradient);
 *     Value part = Value.apply(ReduceScatter.of(Reduction.SUM), gradient), turned = Value.apply(new AllToAll(), gradient);
 *     Value at = Value.apply(Reduce.to(0, Reduction.MEAN), gradient);
 *     Groups groups = Groups.of(ranks);
 *     return Session.open(sum.graph(), SessionOptions.defaults().withService(Groups.class, groups));
 * }
 *
 * // one rank to another, in pairs that have the same key
 * static Op pair(int rank) {
 *     return rank == 0 ? RankSend.to(1, "half") : RankRecv.from(0, "half");
 * }
 *
 * // those that plans put in the place of an AllReduce
 * static boolean isMade(Op op) {
 *     return op instanceof TopKAllReduce || op instanceof ViewAll || op instanceof ViewAllEnd;
 * }
 *
 * static List<String> names() {
 *     return new CollectiveOps().ops();
 * }
 * }
 */
package dev.oxbow.collective.ops;
