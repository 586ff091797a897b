package dev.oxbow.ops.dataset;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.KernelContext;
import dev.oxbow.ops.io.FileRecords;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** The records of files, one file after the other. A file with an error is left behind it. */
final class FileElements implements Elements {

    /** How file number {@code i} is opened. */
    interface Opener {
        FileRecords open(String file, int i);
    }

    private final List<String> files;
    private final Opener opener;
    private FileRecords open;
    private int next;

    private FileElements(List<String> files, Opener opener) {
        this.files = files;
        this.opener = opener;
    }

    static Dataset of(List<String> files, Opener opener) {
        return new Dataset(List.of(), List.of(), () -> new FileElements(files, opener));
    }

    /** The names of input 0. */
    static List<String> names(KernelContext c) {
        require(
                c.input(0).shape().rank() <= 1,
                INVALID_ARGUMENT,
                "`filenames` must be a scalar or a vector, got shape %s",
                c.input(0).shape());
        List<String> names = new ArrayList<>();
        for (Object name : c.input(0).objects()) names.add(new String((byte[]) name, StandardCharsets.UTF_8));
        return names;
    }

    /** The kind of compression that an input names. */
    static String compression(KernelContext c, int i) {
        String kind = text(c, i, "compression_type");
        FileRecords.checkCompression(kind);
        return kind;
    }

    static String text(KernelContext c, int i, String what) {
        require(
                c.input(i).size() == 1,
                INVALID_ARGUMENT,
                "%s must be a scalar, got shape %s",
                what,
                c.input(i).shape());
        return new String((byte[]) c.input(i).objects()[0], StandardCharsets.UTF_8);
    }

    /** Checks the size of a buffer, which has no effect. */
    static void checkBuffer(KernelContext c, int i) {
        long size = DatasetOp.number(c, i, "buffer_size");
        require(size >= 0, INVALID_ARGUMENT, "`buffer_size` must be >= 0 (0 == default), got %d", size);
    }

    @Override
    public void next(Turn turn, Taker taker) {
        byte[] record = null;
        try {
            while (record == null && (open != null || next < files.size())) {
                if (open == null) open = opener.open(files.get(next), next++);
                record = open.next();
                if (record == null) close();
            }
        } catch (RuntimeException e) {
            close();
            throw e;
        }
        taker.take(record == null ? null : List.of(Tensor.ofObjects(DType.STRING, Shape.SCALAR, record)), null);
    }

    @Override
    public void close() {
        if (open != null) open.close();
        open = null;
    }
}
