/**
 * How a region runs for given input shapes. Start with {@link dev.oxbow.runtime.plan.RegionPlan} and {@code Planner}.
 *
 * <p>A plan is made from a {@link dev.oxbow.runtime.plan.Recording} of one run, or from a {@link
 * dev.oxbow.runtime.plan.Forecast} where the shapes of the arguments decide all others. {@code RegionFacts} says what is
 * sure of each instruction, {@code Fuser} joins elementwise ones, {@code Units} are the calls that result, {@code
 * Sections} puts them into an order in which threads seldom wait for each other, {@code Places} gives values their place
 * in one block of memory. Indices are those of instructions in the region, of slots in the frame, and of units; an
 * output is a {@code Port}.
 *
 * <p>Cuts follow from shapes alone, and kernels compute rows in fixed blocks, so a block has the bits that its rows have
 * in the whole, for any number of threads.
 */
package dev.oxbow.runtime.plan;
