/**
 * The master of sessions. Start with {@link dev.oxbow.cluster.master.Master}, then {@code MasterSession}.
 *
 * <p>For each kind of run (feeds, fetches, targets) a session cuts, places and partitions its graph once, and registers the
 * parts with the workers of their devices: a {@code ClusterProgram}. A {@code ClusterStep} then sends one message to each
 * of them and joins the answers; workers get each other's values themselves. Nothing in a step grows with the graph.
 */
package dev.oxbow.cluster.master;
