package dev.oxbow.benchmarks;

import ai.djl.Device;
import ai.djl.modality.cv.Image;
import ai.djl.modality.cv.ImageFactory;
import ai.djl.modality.cv.transform.Normalize;
import ai.djl.modality.cv.transform.RandomFlipLeftRight;
import ai.djl.modality.cv.transform.RandomResizedCrop;
import ai.djl.modality.cv.transform.ToTensor;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.DataType;
import ai.djl.training.dataset.Batch;
import ai.djl.training.dataset.RandomAccessDataset;
import ai.djl.training.dataset.Record;
import ai.djl.util.Progress;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Images by a data set of DJL: its image factory, its transforms, its batches, computed ahead on threads. */
final class DjlInput implements InputTask {
    private static final float LEVELS = 255;

    private final Path folder;
    private final NDManager manager;
    private final ExecutorService pool;
    private final Photos photos;
    private Iterator<Batch> batches;

    DjlInput(String row, Path folder, int threads) throws IOException {
        if (!row.equals("jpeg")) throw new UnsupportedOperationException("DJL's API has no reader of " + row);
        System.setProperty("ai.djl.pytorch.num_threads", "1");
        System.setProperty("ai.djl.pytorch.num_interop_threads", "1");
        this.folder = folder;
        manager = NDManager.newBaseManager(Device.cpu(), "PyTorch");
        pool = Executors.newFixedThreadPool(threads);
        photos = new Photos.Builder(OxbowInput.images(folder, Integer.MAX_VALUE))
                .setSampling(OxbowInput.BATCH, true, true)
                .optPrefetchNumber(2 * threads)
                .optDevice(Device.cpu())
                .addTransform(new RandomResizedCrop(224, 224, 0.08, 1, 0.75, 1.33))
                .addTransform(new RandomFlipLeftRight())
                .addTransform(new ToTensor())
                .addTransform(new Normalize(
                        new float[] {127 / LEVELS, 127 / LEVELS, 127 / LEVELS},
                        new float[] {60 / LEVELS, 60 / LEVELS, 60 / LEVELS}))
                .build();
    }

    private static final class Photos extends RandomAccessDataset {
        private final List<Path> files;

        Photos(Builder builder) {
            super(builder);
            files = builder.files;
        }

        @Override
        public Record get(NDManager manager, long index) throws IOException {
            Image image = ImageFactory.getInstance().fromFile(files.get((int) index));
            return new Record(new NDList(image.toNDArray(manager)), new NDList(manager.create((int) index)));
        }

        @Override
        protected long availableSize() {
            return files.size();
        }

        @Override
        public void prepare(Progress progress) {
            // the names are known already
        }

        private static final class Builder extends BaseBuilder<Builder> {
            private final List<Path> files;

            Builder(List<Path> files) {
                this.files = files;
            }

            @Override
            protected Builder self() {
                return this;
            }

            Photos build() {
                return new Photos(this);
            }
        }
    }

    @Override
    public double[] check() throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (Path p : OxbowInput.images(folder, OxbowInput.CHECKED))
            try (NDManager own = manager.newSubManager()) {
                all.writeBytes(ImageFactory.getInstance()
                        .fromFile(p)
                        .toNDArray(own)
                        .toType(DataType.UINT8, false)
                        .toByteArray());
            }
        Files.write(folder.resolve("decoded-djl"), all.toByteArray());
        return new double[0];
    }

    @Override
    public long run(long until) throws Exception {
        long count = 0;
        while (System.nanoTime() < until) {
            if (batches == null || !batches.hasNext())
                batches = photos.getData(manager, pool).iterator();
            try (Batch b = batches.next()) {
                count += b.getSize();
            }
        }
        return count;
    }

    @Override
    public void close() {
        pool.shutdownNow();
        manager.close();
    }
}
