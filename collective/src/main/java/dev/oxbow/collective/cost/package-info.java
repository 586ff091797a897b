/**
 * Which way to do an all-reduce is the fastest: {@link dev.oxbow.collective.cost.CostModel} predicts the time of each
 * {@link dev.oxbow.collective.cost.Method} from latency, bandwidth and combine rate. All ranks of a group compute with the
 * same numbers, so that they choose alike; in deterministic mode no choice depends on a measurement.
 */
package dev.oxbow.collective.cost;
