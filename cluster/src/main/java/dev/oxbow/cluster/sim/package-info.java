/**
 * Clusters in virtual time, so that a scenario with faults is a unit test of ten lines. Start with {@link
 * dev.oxbow.cluster.sim.SimulatedCluster}.
 *
 * <p>Masters, workers, sessions, steps, health and their deadlines are the real ones; what lies between tasks is a simulated
 * network of calls, with delays, rates, losses, cuts, and tasks that stop and crash, all by seed. Everything runs in the
 * thread of the test: whoever waits for a session moves the simulation.
 *
 * {@snippet :
 * static void aStoppedTaskIsNamed(Graph graph, Edge sum) {
 *     SimulatedNetwork network = new SimulatedNetwork(7, 1e9, Duration.ofMillis(1), 0.01); // seed, bytes a second, delay, loss
 *     ClusterSpec spec = ClusterSpec.of(Map.of("worker", List.of("a:1", "b:1")));
 *     try (SimulatedCluster cluster = new SimulatedCluster(spec, network, Duration.ofSeconds(1));
 *             Session session = cluster.open(new TaskName("worker", 0), graph)) {
 *         network.after(Duration.ofMillis(5), () -> cluster.stop(new TaskName("worker", 1)));
 *         session.fetch(sum).run(); // UNAVAILABLE: the task gave no sign of life for 1.0 s
 *     }
 * }
 * }
 */
package dev.oxbow.cluster.sim;
