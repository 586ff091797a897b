/**
 * The cluster as a whole: who its tasks are. Start with {@link dev.oxbow.cluster.ClusterSpec}, then {@code server.Server}.
 *
 * <p>The other packages depend on it and on each other in this order: {@code rpc} is TensorFlow's two services over gRPC,
 * {@code worker} runs parts of graphs and moves values between tasks, {@code master} splits the graph of a session and has
 * workers run its steps, {@code client} is a session whose master is elsewhere, {@code server} puts a task together.
 */
package dev.oxbow.cluster;
