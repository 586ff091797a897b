package dev.oxbow.kernels.image;

import static dev.oxbow.tensor.ErrorCode.OUT_OF_RANGE;

import dev.oxbow.kernels.Parallel;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Tensor;

/** Crops of images by boxes of relative corners (y1, x1, y2, x2), resized to one size, with their gradients. */
public final class Crop {
    private final int height;
    private final int width;
    private final long imageHeight;
    private final long imageWidth;
    private final boolean nearest;

    /** Crops of {@code height} by {@code width} out of images of a size. */
    public Crop(int height, int width, long imageHeight, long imageWidth, boolean nearest) {
        this.height = height;
        this.width = width;
        this.imageHeight = imageHeight;
        this.imageWidth = imageWidth;
        this.nearest = nearest;
    }

    public static void checkIndices(Tensor indices, long images) {
        for (long i = 0; i < indices.size(); i++) {
            long k = indices.getLong(i);
            if (k < 0 || k >= images)
                throw new OxbowException(
                        OUT_OF_RANGE, "box_index[%d] = %d is outside of [0, %d)".formatted(i, k, images));
        }
    }

    /** The input coordinate of output {@code i} of {@code n} between relative corners. */
    private static float place(int i, int n, float from, float to, long size) {
        if (n > 1) return from * (size - 1) + i * ((to - from) * (size - 1) / (n - 1));
        return 0.5f * (from + to) * (size - 1);
    }

    private interface Tap {
        void at(long box, int y, int x, float inY, float inX);
    }

    private void each(Tensor boxes, long from, long to, Tap inside, Tap outside) {
        for (long b = from; b < to; b++) {
            float y1 = (float) boxes.getDouble(4 * b), x1 = (float) boxes.getDouble(4 * b + 1);
            float y2 = (float) boxes.getDouble(4 * b + 2), x2 = (float) boxes.getDouble(4 * b + 3);
            for (int y = 0; y < height; y++) {
                float inY = place(y, height, y1, y2, imageHeight);
                for (int x = 0; x < width; x++) {
                    float inX = place(x, width, x1, x2, imageWidth);
                    boolean in = inY >= 0 && inY <= imageHeight - 1.0 && inX >= 0 && inX <= imageWidth - 1.0;
                    (in ? inside : outside).at(b, y, x, inY, inX);
                }
            }
        }
    }

    /** {@code y}: crops in f32; what lies outside of an image is {@code extrapolation}. */
    public void forward(Tensor image, Tensor boxes, Tensor indices, float extrapolation, Tensor y, Parallel parallel) {
        int c = Counts.toInt(image.shape().dim(3));
        checkIndices(indices, image.shape().dim(0));
        if (y.size() == 0) return;
        parallel.run(
                indices.size(),
                1,
                (from, to) -> each(
                        boxes,
                        from,
                        to,
                        (b, i, j, inY, inX) -> {
                            long o = ((b * height + i) * width + j) * c;
                            long at = indices.getLong(b) * imageHeight;
                            if (nearest) {
                                long p = ((at + round(inY)) * imageWidth + round(inX)) * c;
                                for (int k = 0; k < c; k++) y.set(o + k, image.getDouble(p + k));
                                return;
                            }
                            Corners s = corners(at, inY, inX, c);
                            for (int k = 0; k < c; k++) {
                                double top = image.getDouble(s.tl + k)
                                        + (image.getDouble(s.tr + k) - image.getDouble(s.tl + k)) * s.dx;
                                double bottom = image.getDouble(s.bl + k)
                                        + (image.getDouble(s.br + k) - image.getDouble(s.bl + k)) * s.dx;
                                y.set(o + k, top + (bottom - top) * s.dy);
                            }
                        },
                        (b, i, j, inY, inX) -> {
                            long o = ((b * height + i) * width + j) * c;
                            for (int k = 0; k < c; k++) y.set(o + k, extrapolation);
                        }));
    }

    private record Corners(long tl, long tr, long bl, long br, float dy, float dx) {}

    private Corners corners(long row0, float inY, float inX, int c) {
        long top = (long) Math.floor(inY), bottom = (long) Math.ceil(inY);
        long left = (long) Math.floor(inX), right = (long) Math.ceil(inX);
        return new Corners(
                ((row0 + top) * imageWidth + left) * c,
                ((row0 + top) * imageWidth + right) * c,
                ((row0 + bottom) * imageWidth + left) * c,
                ((row0 + bottom) * imageWidth + right) * c,
                inY - top,
                inX - left);
    }

    private static long round(float x) {
        return (long) Math.floor(x + 0.5f);
    }

    /** {@code dImage} from the gradients of the crops. */
    public void imageGradient(Tensor dy, Tensor boxes, Tensor indices, Tensor dImage) {
        int c = Counts.toInt(dImage.shape().dim(3));
        checkIndices(indices, dImage.shape().dim(0));
        Memory.zero(dImage.address(), dImage.byteSize());
        if (dy.size() == 0) return;
        double[] sum = Counts.array(dImage.size(), double[]::new);
        each(
                boxes,
                0,
                indices.size(),
                (b, i, j, inY, inX) -> {
                    long o = ((b * height + i) * width + j) * c, at = indices.getLong(b) * imageHeight;
                    if (nearest) {
                        long p = ((at + round(inY)) * imageWidth + round(inX)) * c;
                        for (int k = 0; k < c; k++) sum[(int) p + k] += dy.getDouble(o + k);
                        return;
                    }
                    Corners s = corners(at, inY, inX, c);
                    for (int k = 0; k < c; k++) {
                        double d = dy.getDouble(o + k), top = (1 - s.dy) * d, bottom = s.dy * d;
                        sum[(int) s.tl + k] += (1 - s.dx) * top;
                        sum[(int) s.tr + k] += s.dx * top;
                        sum[(int) s.bl + k] += (1 - s.dx) * bottom;
                        sum[(int) s.br + k] += s.dx * bottom;
                    }
                },
                (b, i, j, inY, inX) -> {});
        for (int i = 0; i < sum.length; i++) dImage.set(i, sum[i]);
    }

    /** {@code dBoxes} of bilinear crops. */
    public void boxGradient(Tensor dy, Tensor image, Tensor boxes, Tensor indices, Tensor dBoxes) {
        int c = Counts.toInt(image.shape().dim(3));
        checkIndices(indices, image.shape().dim(0));
        Memory.zero(dBoxes.address(), dBoxes.byteSize());
        if (dy.size() == 0) return;
        double[] sum = Counts.array(dBoxes.size(), double[]::new);
        each(
                boxes,
                0,
                indices.size(),
                (b, i, j, inY, inX) -> {
                    long o = ((b * height + i) * width + j) * c;
                    Corners s = corners(indices.getLong(b) * imageHeight, inY, inX, c);
                    double gy = 0, gx = 0;
                    for (int k = 0; k < c; k++) {
                        double tl = image.getDouble(s.tl + k), tr = image.getDouble(s.tr + k);
                        double bl = image.getDouble(s.bl + k), br = image.getDouble(s.br + k), d = dy.getDouble(o + k);
                        gy += ((1 - s.dx) * (bl - tl) + s.dx * (br - tr)) * d;
                        gx += ((1 - s.dy) * (tr - tl) + s.dy * (br - bl)) * d;
                    }
                    int at = (int) (4 * b);
                    corner(sum, at, at + 2, gy, i, height, imageHeight);
                    corner(sum, at + 1, at + 3, gx, j, width, imageWidth);
                },
                (b, i, j, inY, inX) -> {});
        for (int i = 0; i < sum.length; i++) dBoxes.set(i, sum[i]);
    }

    private static void corner(double[] sum, int from, int to, double g, int i, int n, long size) {
        if (n > 1) {
            double ratio = (size - 1) / (double) (n - 1);
            sum[from] += g * (size - 1 - i * ratio);
            sum[to] += g * i * ratio;
        } else {
            sum[from] += g * 0.5 * (size - 1);
            sum[to] += g * 0.5 * (size - 1);
        }
    }
}
