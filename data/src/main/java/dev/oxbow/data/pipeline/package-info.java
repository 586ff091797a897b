/**
 * Input pipelines: a {@link dev.oxbow.data.pipeline.Pipeline} says which elements an epoch has and in which order, a {@link
 * dev.oxbow.data.pipeline.Feed} computes them on threads of its own. Read {@link dev.oxbow.data.pipeline.Lazy} first: order is
 * cheap and known to every worker, work is done by the worker that needs it.
 *
 * {@snippet :
 * Pipeline<Batch> train = Pipeline.rows(Tensor.zeros(DType.F32, Shape.of(100, 4)), Tensor.zeros(DType.I32, Shape.of(100)))
 *         .shuffle(100, 7) // seed 7; another order in each epoch
 *         .map("noise", 8, (Sample s, Draw draw) -> draw.coin() ? s : Sample.of(s.get(0), s.get(1)))
 *         .batch(32);
 * try (Feed<Batch> feed = Batches.of(train).epoch(0, 1)) { // from the second batch on
 *     while (feed.hasNext()) {
 *         try (Batch b = feed.next()) {
 *             IO.println(b.number() + ": " + b.rows() + " rows");
 *         }
 *     }
 * }
 * }
 *
 * {@snippet :
 * // a stage of one's own: every second element, none of which is computed before it is needed
 * record Every<T>(Stage<T> input) implements Stage<T> {
 *     public Cursor<T> open(Setting setting) {
 *         Cursor<T> all = input.open(setting.at(setting.epoch()));
 *         return Cursor.over(all, () -> {
 *             Lazy<T> kept = all.next();
 *             if (kept != null) all.skip(1);
 *             return kept;
 *         });
 *     }
 * }
 *
 * static String describe(Stage<?> stage, Setting setting) {
 *     Work done = stage.work();
 *     boolean alone = setting.workers() == Workers.NONE;
 *     return stage.describe() + ": " + done.count() + (alone ? " by one thread" : " by several");
 * }
 * }
 */
package dev.oxbow.data.pipeline;
