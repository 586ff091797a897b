/**
 * Ranks in virtual time, in one thread. Start with {@link dev.oxbow.net.sim.Simulation}. Wires delay, lose, double and
 * reorder datagrams, and a stream repairs that; everything follows from the seed, so a failure can be run again.
 */
package dev.oxbow.net.sim;
