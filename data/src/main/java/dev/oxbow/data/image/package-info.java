/**
 * Images for training. An {@link dev.oxbow.data.image.Augment} says what becomes of a picture: a crop, another size, a flip,
 * colours, a turn, a hole, numbers around zero. All of it is one pass over the pixels that the crop needs, and what is random comes
 * from the element's {@link dev.oxbow.data.pipeline.Draw}, so it is the same on any thread and worker.
 *
 * {@snippet :
 * Augment augment = Augment.to(224, 224)
 *         .randomCrop(0.08, 1, 3.0 / 4, 4.0 / 3)
 *         .flip(0.5)
 *         .normalise(List.of(127f, 127f, 127f), List.of(60f, 60f, 60f))
 *         .as(ImageLayout.CHW, DType.F32);
 * Crop.Window part = augment.crop().window(500, 375, augment, new Draw(1, 0, 42)); // what element 42 takes of such an image
 * Pipeline<Batch> batches =
 *         ImageFolder.of("photos").images().shuffle(1).map("augment", 1, augment).batch(64);
 * }
 */
package dev.oxbow.data.image;
