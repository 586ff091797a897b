package dev.oxbow.parallel.planner;

/**
 * A layer of a network.
 *
 * @param parameters how many numbers it learns
 * @param work multiplications for one image
 */
public record Layer(String name, long parameters, double work) {}
