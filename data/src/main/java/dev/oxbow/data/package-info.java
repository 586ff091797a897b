/**
 * Data sets: readers of file formats ({@link dev.oxbow.data.Idx}), and {@link dev.oxbow.data.DataFolder}, which keeps checked
 * copies of the files of a {@link dev.oxbow.data.DataSet}.
 *
 * {@snippet :
 * DataFolder folder = DataFolder.ofUser();
 * folder.fetch(DataSet.MNIST, Path.of("downloads")); // checked, and kept
 * try (Tensor images = Idx.read(folder.file(DataSet.MNIST, "train-images-idx3-ubyte.gz"))) {
 *     IO.println(images.shape());
 * }
 * byte[] batch = TarGz.read(folder.file(DataSet.CIFAR10), "cifar-10-batches-bin/data_batch_1.bin");
 * }
 */
package dev.oxbow.data;
