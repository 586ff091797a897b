/**
 * Ops, graphs and files with input that nobody expects. Start with {@link dev.oxbow.testing.fuzz.Fuzz}. A trial follows
 * from its seed and number; one that ends its process is found by {@link dev.oxbow.testing.fuzz.ForkedFuzz}.
 */
package dev.oxbow.testing.fuzz;
