package dev.oxbow.ops.image;

import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.Tensor;

/** Frames one pixel wide around boxes of relative corners. */
final class Boxes {
    private static final float[][] COLOURS = {
        {1, 1, 0, 1},
        {0, 0, 1, 1},
        {1, 0, 0, 1},
        {0, 1, 0, 1},
        {0.5f, 0, 0.5f, 1},
        {0.5f, 0.5f, 0, 1},
        {0.5f, 0, 0, 1},
        {0, 0, 0.5f, 1},
        {0, 1, 1, 1},
        {1, 0, 1, 1}
    };

    private final Tensor y;
    private final long height;
    private final long width;
    private final int depth;

    private Boxes(Tensor y) {
        this.y = y;
        this.height = y.shape().dim(1);
        this.width = y.shape().dim(2);
        this.depth = Counts.toInt(y.shape().dim(3));
    }

    /** Colours that are used in turn: the given rows, or ten of our own, which are white in an image of one channel. */
    static float[][] colours(Tensor given, int depth) {
        if (given != null && given.size() > 0) {
            int n = Counts.toInt(given.shape().dim(0)),
                    k = Counts.toInt(given.shape().dim(1));
            float[][] table = new float[n][Math.max(k, depth)];
            for (int i = 0; i < n; i++)
                for (int j = 0; j < k; j++) table[i][j] = (float) given.getDouble((long) i * k + j);
            return table;
        }
        float[][] table = new float[COLOURS.length][];
        for (int i = 0; i < table.length; i++) {
            table[i] = COLOURS[i].clone();
            if (depth == 1) table[i][0] = 1;
        }
        return table;
    }

    static void draw(Tensor x, Tensor boxes, float[][] colours, Tensor y) {
        Memory.copy(x.address(), y.address(), x.byteSize());
        if (y.size() == 0 || boxes.size() == 0) return;
        Boxes b = new Boxes(y);
        long images = x.shape().dim(0), count = boxes.shape().dim(1);
        for (long image = 0; image < images; image++)
            for (long k = 0; k < count; k++)
                b.frame(image, boxes, 4 * (image * count + k), colours[(int) (k % colours.length)]);
    }

    private void frame(long image, Tensor boxes, long at, float[] colour) {
        long top = (long) ((float) boxes.getDouble(at) * (height - 1)),
                left = (long) ((float) boxes.getDouble(at + 1) * (width - 1));
        long bottom = (long) ((float) boxes.getDouble(at + 2) * (height - 1)),
                right = (long) ((float) boxes.getDouble(at + 3) * (width - 1));
        if (top > bottom || left > right || top >= height || bottom < 0 || left >= width || right < 0) return;
        long fromRow = Math.max(top, 0), toRow = Math.min(bottom, height - 1);
        long fromColumn = Math.max(left, 0), toColumn = Math.min(right, width - 1);
        for (long j = fromColumn; j <= toColumn; j++) {
            if (top >= 0) paint(image, top, j, colour);
            if (bottom < height) paint(image, bottom, j, colour);
        }
        for (long i = fromRow; i <= toRow; i++) {
            if (left >= 0) paint(image, i, left, colour);
            if (right < width) paint(image, i, right, colour);
        }
    }

    private void paint(long image, long row, long column, float[] colour) {
        long at = ((image * height + row) * width + column) * depth;
        for (int k = 0; k < depth; k++) y.set(at + k, colour[k]);
    }
}
