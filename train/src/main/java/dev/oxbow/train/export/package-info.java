/**
 * Trained models on their way elsewhere, and values from elsewhere on their way into a model. Start at
 * {@link dev.oxbow.train.export.Export}. Whatever is written is there whole or not at all.
 *
 * {@snippet :
 * static void export(Trainer trainer, Path folder) {
 *     try (Export export = Export.of(trainer)) {
 *         export.savedModel(folder.resolve("saved"));
 *         export.onnx(folder.resolve("model.onnx"));
 *         export.safetensors(folder.resolve("model.safetensors"));
 *     }
 * }
 *
 * static void load(Trainer trainer, Path file) {
 *     try (Weights weights = Weights.safetensors(file)) {
 *         trainer.load(weights.renamed("fc.weight", "dense1/kernel").transposed("dense1/kernel", 1, 0).values());
 *     }
 * }
 *
 * static void further(Path folder, Tensor images) {
 *     try (SavedModel model = SavedModel.load(folder);
 *             Results y = model.call(SavedModel.SERVING, Map.of("images", images))) {
 *         IO.println(y.get(0));
 *         SavedModel.Signature serving = model.signature(SavedModel.SERVING);
 *         Value loss = Value.of(serving.outputs().get("output_0")).mean();
 *         List<Parameter> weights = model.trainable(SavedModel.SERVING);
 *         List<Value> gradients = Gradients.of(List.of(loss), weights.stream().map(Parameter::handle).toList());
 *         IO.println(gradients.size() + " gradients; train by them, then write it for TensorFlow");
 *         model.save(folder.resolveSibling("further"));
 *     }
 * }
 * }
 */
package dev.oxbow.train.export;
