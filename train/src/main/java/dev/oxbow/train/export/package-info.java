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
 * }
 */
package dev.oxbow.train.export;
