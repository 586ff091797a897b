/**
 * One rank's part in each collective, as a state machine: it posts receives and sends on an
 * {@link dev.oxbow.collective.algorithm.Exchange}, and the ends of messages drive it. Start with
 * {@link dev.oxbow.collective.algorithm.RingAllReduce}. There is one algorithm in each file, with its steps, messages and
 * bytes in P (ranks) and S (bytes); none knows a group, a transport or a clock, so tests run all ranks in one thread.
 */
package dev.oxbow.collective.algorithm;
