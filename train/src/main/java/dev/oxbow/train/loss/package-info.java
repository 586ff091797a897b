/**
 * What training lowers and what people look at: a {@link dev.oxbow.train.loss.Loss} is a number for each example, a
 * {@link dev.oxbow.train.loss.Metric} adds up over examples. Both are values of the graph, so they are right under every
 * way to split a batch.
 *
 * {@snippet :
 * Loss smooth = Losses.crossEntropy(0.1);
 * List<Metric> metrics = List.of(Metrics.accuracy(), Metrics.topK(5), Metrics.mean("smooth", smooth, m -> m));
 *
 * record Quartic() implements Loss {
 *     public Value of(Value prediction, Value target) {
 *         Value e = prediction.minus(target).square();
 *         return e.square().mean(1);
 *     }
 *
 *     public TensorType target(TensorType prediction) {
 *         return prediction;
 *     }
 * }
 * Loss own = new Quartic();
 * }
 */
package dev.oxbow.train.loss;
