/**
 * Models and their training. Start at {@link dev.oxbow.train.Trainer}: it adds loss, gradients and updates to the graph of
 * a {@link dev.oxbow.train.Model} and runs them; there is no other engine. What training changes has stable names
 * ({@code conv1/kernel}, {@code conv1/kernel/adam/m}).
 *
 * {@snippet :
 * Examples points = Examples.of(
 *         Tensor.of(Shape.of(4, 2), 0f, 0f, 0f, 1f, 1f, 0f, 1f, 1f), Tensor.of(Shape.of(4), 0, 1, 1, 0));
 * Model model = Model.of(Input.floats("x", 2), Layers.sequential(Layers.dense(16, Value::tanh), Layers.dense(2)), 7);
 * IO.print(model.summary());
 * try (Trainer trainer = Trainer.of(model, Losses.sparseCrossEntropy(), Optimizer.adam(0.05))
 *         .metrics(Metrics.accuracy())
 *         .start()) {
 *     for (Epoch e : trainer.fit(points.batches(4), 200)) IO.println(e.number() + " " + e.loss());
 *     IO.println(trainer.evaluate(points.batches(4)));
 * }
 * }
 *
 * {@snippet :
 * // what happens between steps and epochs
 * static Trainer.Config watched(Trainer.Config trainer, Checkpoints checkpoints) {
 *     Callback print = new Callback() {
 *         public void step(Trainer t, double loss) {
 *             IO.println(t.position().step() + " " + loss);
 *         }
 *     };
 *     return trainer.callbacks(
 *             print,
 *             Callbacks.best(checkpoints, "accuracy", Callbacks.Goal.HIGHEST),
 *             Callbacks.earlyStopping("loss", Callbacks.Goal.LOWEST, 3));
 * }
 *
 * // batches from anywhere
 * static Batches lines(Iterable<float[]> rows) {
 *     List<Batch> all = new ArrayList<>();
 *     for (float[] r : rows)
 *         all.add(new Batch(List.of(Tensor.of(Shape.of(1, r.length), r)), Tensor.of(Shape.of(1), 0)));
 *     return Batches.of(all);
 * }
 *
 * // a model with its data, for oxbow train FILE.java
 * record Points() implements Experiment {
 *     public Trainer.Config trainer(Optimizer optimizer, long seed) {
 *         return Trainer.of(Model.of(Input.floats("x", 2), Layers.dense(2), seed), Losses.sparseCrossEntropy(), optimizer);
 *     }
 *
 *     public Data data(long seed) {
 *         Examples all = Examples.of(Tensor.zeros(DType.F32, Shape.of(8, 2)), Tensor.zeros(DType.I32, Shape.of(8)));
 *         return new Data(all, all);
 *     }
 * }
 * }
 */
package dev.oxbow.train;
