package dev.oxbow.data.image;

import dev.oxbow.kernels.codec.Picture;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.lang.foreign.MemorySegment;

/**
 * A part of an RGB image in native memory, until it is closed: reading it there spares each image a copy on the heap.
 *
 * @param from the address of its first sample
 * @param stride how far a row is from the next, in bytes
 */
record Pixels(Tensor image, long from, long stride, int width, int height) implements AutoCloseable {

    /** A part of {@code u8[rows, columns, 3]}, which is closed with it. */
    static Pixels of(Tensor image, Crop.Window w) {
        long stride = 3 * image.shape().dim(1);
        return new Pixels(image, image.address() + w.y() * stride + 3L * w.x(), stride, w.width(), w.height());
    }

    /** A copy of a part of a picture. */
    static Pixels copy(Picture p, Crop.Window w) {
        Tensor image = Tensor.allocate(DType.U8, Shape.of(w.height(), w.width(), 3));
        for (int y = 0; y < w.height(); y++)
            MemorySegment.copy(
                    p.samples(),
                    3 * ((w.y() + y) * p.width() + w.x()),
                    Memory.ALL,
                    Memory.BYTE,
                    image.address() + 3L * y * w.width(),
                    3 * w.width());
        return of(image, new Crop.Window(0, 0, w.width(), w.height()));
    }

    /** The address of a row. */
    long row(int y) {
        return from + y * stride;
    }

    @Override
    public void close() {
        image.close();
    }
}
