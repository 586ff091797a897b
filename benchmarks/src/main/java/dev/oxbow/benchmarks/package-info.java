/**
 * Timings of Oxbow beside its peers, or beside another build of it. Start with {@code CpuBench} and {@code Contest}:
 * systems run in processes of their own, one at a time, in rounds that go back and forth, and what is compared is what
 * was measured one after the other.
 */
package dev.oxbow.benchmarks;
