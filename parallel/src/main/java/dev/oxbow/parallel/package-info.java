/**
 * From the training graph of one device to that of many, with the same results. Start with {@link
 * dev.oxbow.parallel.Plan}, then {@code Spread}.
 *
 * <p>A session under a plan asks {@code Sharing} before each run which rows of the batch its process has, and gets the
 * {@code Spread} for them: a rewrite from the graph on whole values to that on pieces. {@code Layouts} finds how every
 * value is laid out ({@link dev.oxbow.parallel.Layout}), by {@code Rules} that mostly follow from what ops say of
 * themselves ({@code Op.cut}, {@code Op.sum}); {@code Buckets} puts partial values together; {@code Emission} writes the
 * graph of pieces, with what {@code Exchange} builds where the layout that is made is not the one that is wanted, and
 * operands that {@code Localising} cuts to the piece.
 *
 * {@snippet :
 * // one line is another way to train
 * static Session open(Graph graph, Communicator job) {
 *     Plan plan = Plan.ring().withWire(WireFormat.BF16).withBucketBytes(4 << 20);
 *     for (StateEntry e : StateEntry.of(graph, plan, job.rank(), job.size()))
 *         IO.println(e.name() + " is a " + e.role());
 *     return plan.open(graph, job);
 * }
 *
 * static void describe(Mesh devices, Layout layout) {
 *     String how = layout.isBroadcast() ? "whole everywhere" : layout.isSplit() ? "in pieces" : "in parts to be summed";
 *     IO.println(how + " on " + devices.size() + " devices");
 * }
 * }
 */
package dev.oxbow.parallel;
