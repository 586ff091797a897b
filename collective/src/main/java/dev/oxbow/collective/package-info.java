/**
 * All-reduce and its relatives between the ranks of a job. Start with {@link dev.oxbow.collective.Group}. This package
 * stands on the others: a call agrees with its peers, runs one of {@code algorithm} as {@code cost} chooses, by
 * {@code combine} and {@code codec}, and ends well or by {@code failure}.
 *
 * <p>Every rank ends with the same bits; in deterministic mode sums are those in rank order whatever the timing.
 *
 * <p>Ranks match calls by name, or by order without one. Before data moves they compare signatures in log P rounds of
 * notes; small all-reduces carry the signature with the data. Whoever waits steps the communicator itself; a background
 * thread steps while calls are under way and nobody waits.
 *
 * <p>A mismatch, a lost peer or a deadline aborts the group: the news floods, the survivors tell each other what they
 * wait for, and every rank ends with the same error, which names the culprit. {@code reform} makes a new group of the
 * survivors.
 */
package dev.oxbow.collective;
