/**
 * What a plan will bring before any machine is rented: {@link dev.oxbow.parallel.planner.Way} has the closed forms, {@link
 * dev.oxbow.parallel.planner.Estimate} what follows from them, {@link dev.oxbow.parallel.planner.Simulator} plays a step
 * with overlap, buckets and stragglers, and {@link dev.oxbow.parallel.planner.Network} knows models by name.
 */
package dev.oxbow.parallel.planner;
