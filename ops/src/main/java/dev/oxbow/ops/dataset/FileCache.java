package dev.oxbow.ops.dataset;

import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.ops.Arguments;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.CheckpointReader;
import dev.oxbow.wire.CheckpointWriter;
import dev.oxbow.wire.TensorSlice;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Elements that are kept in a file once one walk has seen all of them: a checkpoint with a tensor for each component of
 * each element, under TensorFlow's names, so that either reads what the other has kept.
 */
final class FileCache {
    private FileCache() {}

    static Dataset of(Dataset from, String file, int components) {
        Path prefix = Arguments.path(file);
        return new Dataset(
                        List.of(),
                        List.of(from),
                        () -> isKept(prefix)
                                ? new Reading(prefix, components)
                                : new Writing(from.open(), prefix, components))
                .sized(from.size());
    }

    private static boolean isKept(Path prefix) {
        return Files.exists(prefix.resolveSibling(prefix.getFileName() + ".index"));
    }

    /** Both numbers, filled with blanks to the width of the largest that there may be. */
    private static String key(int element, int component, int components) {
        return ("%7d_%" + String.valueOf(components - 1).length() + "d").formatted(element, component);
    }

    /** Passes elements on, and keeps all of them when the last was seen; a walk that ends before keeps nothing. */
    private static final class Writing extends Walks.Through {
        private final Elements all;
        private final Path prefix;
        private final int components;
        private CheckpointWriter writer;
        private int count;

        Writing(Elements all, Path prefix, int components) {
            super(all);
            this.all = all;
            this.prefix = prefix;
            this.components = components;
        }

        @Override
        public void next(Turn turn, Taker taker) {
            all.next(
                    turn,
                    (element, error) -> Turn.guarded(taker, () -> {
                        if (element != null) write(element);
                        else if (error == null) finish();
                        taker.take(element, error);
                    }));
        }

        private void write(List<Tensor> element) {
            try {
                if (writer == null) writer = new CheckpointWriter(prefix);
                for (int i = 0; i < element.size(); i++) writer.add(key(count, i, components), element.get(i));
                count++;
            } catch (RuntimeException e) {
                element.forEach(Tensor::release);
                throw e;
            }
        }

        private void finish() {
            if (writer == null) writer = new CheckpointWriter(prefix);
            writer.finish();
            writer.close();
            writer = null;
        }

        @Override
        public void close() {
            if (writer != null) writer.close();
            writer = null;
            super.close();
        }
    }

    /** Reads what a walk has kept. */
    private static final class Reading implements Elements {
        private final CheckpointReader reader;
        private final int components;
        private int at;

        Reading(Path prefix, int components) {
            this.reader = CheckpointReader.open(prefix);
            this.components = components;
        }

        @Override
        public void next(Turn turn, Taker taker) {
            Turn.guarded(taker, () -> {
                if (!reader.contains(key(at, 0, components))) {
                    taker.take(null, null);
                    return;
                }
                List<Tensor> element = new ArrayList<>();
                for (int i = 0; i < components; i++) element.add(read(key(at, i, components)));
                at++;
                taker.take(element, null);
            });
        }

        private Tensor read(String key) {
            require(reader.contains(key), FAILED_PRECONDITION, "the cache has no component '%s'", key);
            Tensor t = MemoryPool.shared().tensor(reader.dtype(key), reader.shape(key), "cache");
            try {
                reader.readInto(key, TensorSlice.full(t.shape().rank()), t);
            } catch (OxbowException e) {
                t.release();
                throw e;
            }
            return t;
        }

        @Override
        public void close() {
            reader.close();
        }
    }
}
