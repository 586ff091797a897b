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
 *
 * {@snippet :
 * try (Communicator ranks = Ranks.join(); Tensor sum = Tensor.of(Shape.of(2), 1f, ranks.rank())) {
 *     Group all = ranks.world();
 *     Pending pending = all.allReduce(sum, Reduction.SUM, Options.named("sum").withDeadline(Duration.ofSeconds(30)));
 *     pending.await();
 *     IO.println("rank " + ranks.rank() + " of " + ranks.size() + " has " + sum);
 * }
 * }
 *
 * {@snippet :
 * // without a launcher, with other settings
 * JobConfig job = JobConfig.defaults()
 *         .withTimeout(Duration.ofMinutes(1))
 *         .withCommunicator(CommunicatorConfig.DEFAULT.withDeterministic(true).withTraceSpans(1000));
 * try (Communicator ranks = Ranks.join(dev.oxbow.net.RankEnvironment.current(), job)) {
 *     Elements mine = ranks.allocate(DType.F32, 1024); // memory that neighbours on this host can read
 *     Options small = Options.DEFAULT.withWire(WireFormat.BF16);
 *     ranks.world().broadcast(mine, 0, small).await();
 *     PendingTensor rows = ranks.world().allGatherRagged(mine, small);
 *     PendingViews views = ranks.world().view(mine, Options.DEFAULT);
 *     PendingGroup survivors = ranks.world().reform(Duration.ofSeconds(10));
 *     try (Loan scratch = ranks.lend(4096)) {
 *         IO.println(scratch.bytes());
 *     }
 *     Trace trace = ranks.trace();
 *     trace.write(Path.of("trace.json"));
 * }
 * }
 */
package dev.oxbow.collective;
