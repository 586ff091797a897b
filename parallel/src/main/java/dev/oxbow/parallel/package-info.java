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
 * <p>Where parameter servers hold the variables, the session of a worker ({@code ServedSession}) spreads each kind of run in the
 * same way and adds it to a graph that its cluster runs. {@code Shards} says which server has what, {@code Cutting} makes
 * several variables of one that is cut; {@code Updates} finds what servers do, {@code Pushing} makes a function of it, {@code
 * Serving} writes the waits and pushes of the worker, {@code Sending} brings pulls together, {@code Pulling} begins some before
 * the step that they are for; the ops and the gate are in {@code ops}.
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
 * // a worker of a job with two parameter servers, whose own task listens at a port
 * static Session worker(Graph graph, int number) {
 *     Plan plan = Plan.parameterServer(2, 4).staleness(3).at("grpc://localhost:2222");
 *     Served how = plan.served();
 *     IO.println(how.workers() + " workers, at most " + how.staleness() + " steps apart");
 *     return plan.open(graph, number, SessionOptions.defaults());
 * }
 *
 * static void describe(Mesh devices, Layout layout) {
 *     String how = layout.isBroadcast() ? "whole everywhere" : layout.isSplit() ? "in pieces" : "in parts to be summed";
 *     IO.println(how + " on " + devices.size() + " devices");
 * }
 * }
 */
package dev.oxbow.parallel;
