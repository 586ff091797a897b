/**
 * What a plan will bring before any machine is rented: {@link dev.oxbow.parallel.planner.Way} has the closed forms, {@link
 * dev.oxbow.parallel.planner.Estimate} what follows from them, {@link dev.oxbow.parallel.planner.Simulator} plays a step
 * with overlap, buckets and stragglers, and {@link dev.oxbow.parallel.planner.Network} knows models by name.
 *
 * {@snippet :
 * import dev.oxbow.parallel.planner.Layer;
 * Network network = Network.named("resnet50");
 * List<Layer> layers = network.layers();
 * Estimate four = Estimate.of(Way.RING, 4.0 * network.parameters(), 0.4, 4, 125e6); // 1 Gbit/s
 * IO.print(String.format("%.2f of four workers, %s bounds it%n", four.efficiency(), four.bottleneck()));
 * Simulator simulator = Simulator.of(network, 0.4, 32, 125e6, true, 5e-5, 4);
 * IO.println(simulator.play(4).step());
 * byte[] chart = new Curve(List.of(new Curve.Line("ring", List.of(four, four.withWorkers(8))))).png();
 * }
 */
package dev.oxbow.parallel.planner;
