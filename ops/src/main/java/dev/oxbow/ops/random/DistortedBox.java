package dev.oxbow.ops.random;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.TensorType;
import dev.oxbow.kernels.random.Philox;
import dev.oxbow.kernels.random.Samples;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;

/**
 * Random crops of an image that cover enough of one of its boxes: of a random aspect ratio, a random height that gives an area
 * within bounds, at a random place.
 *
 * @param aspects the least and greatest ratio of width to height
 * @param areas the least and greatest share of the image's area
 */
record DistortedBox(List<Float> aspects, List<Float> areas, long attempts, boolean wholeWithoutBoxes) {
    private static final long MOST_CHECKS = 1 << 26;

    private record Box(int left, int top, int right, int bottom) {
        float area() {
            return (float) ((right - left) * (bottom - top));
        }

        float shared(Box other) {
            int x0 = Math.max(left, other.left), y0 = Math.max(top, other.top);
            int x1 = Math.min(right, other.right), y1 = Math.min(bottom, other.bottom);
            return x0 > x1 || y0 > y1 ? 0 : new Box(x0, y0, x1, y1).area();
        }
    }

    List<TensorType> infer(InferenceContext c, boolean givenCover) {
        for (List<Float> range : List.of(aspects, areas))
            require(
                    range.size() == 2 && range.get(0) > 0 && range.get(1) > 0,
                    INVALID_ARGUMENT,
                    "aspect_ratio_range and area_range must be two positive numbers, got %s",
                    range);
        require(
                areas.get(0) <= 1 && areas.get(1) <= 1,
                INVALID_ARGUMENT,
                "Area range must be less then or equal to 1.0: %s",
                areas);
        require(attempts > 0, INVALID_ARGUMENT, "Max attempts must be positive: %d", attempts);
        c.vector(0, 3);
        c.rank(1, 3);
        c.dim(1, 2, 4);
        if (givenCover) c.scalar(2);
        DType size = c.dtype(0);
        return List.of(
                new TensorType(size, Shape.of(3)),
                new TensorType(size, Shape.of(3)),
                new TensorType(DType.F32, Shape.of(1, 1, 4)));
    }

    void run(KernelContext c, Philox stream, float cover) {
        require(cover >= 0, INVALID_ARGUMENT, "Min object covered must be non-negative: %s", cover);
        int height = side(c.input(0), 0, "height"), width = side(c.input(0), 1, "width");
        Box image = new Box(0, 0, width, height),
                crop = crop(new Samples(stream), image, boxes(c.input(1), image), cover);
        write(c.output(0), crop.top, crop.left, 0);
        write(c.output(1), crop.bottom - crop.top, crop.right - crop.left, -1);
        Tensor box = c.output(2);
        box.set(0, (float) crop.top / height);
        box.set(1, (float) crop.left / width);
        box.set(2, (float) crop.bottom / height);
        box.set(3, (float) crop.right / width);
    }

    private static void write(Tensor t, long height, long width, long depth) {
        t.setLong(0, height);
        t.setLong(1, width);
        t.setLong(2, depth);
    }

    private static int side(Tensor size, int i, String what) {
        long n = size.getLong(i);
        require(
                n >= 0 && n < Integer.MAX_VALUE,
                INVALID_ARGUMENT,
                "image %s must be in [0, int32 max), got %d",
                what,
                n);
        return (int) n;
    }

    private List<Box> boxes(Tensor given, Box image) {
        List<Box> all = new ArrayList<>();
        for (int b = 0; b < Counts.objects(given.size() / 4, 64); b++) {
            int[] sides = new int[4];
            for (int i = 0; i < 4; i++) {
                float x = (float) given.getDouble(4L * b + i);
                require(
                        x >= 0 && x <= 1,
                        INVALID_ARGUMENT,
                        "All bounding box coordinates must be in [0.0, 1.0]: %s",
                        x);
                sides[i] = (int) (x * (i % 2 == 0 ? image.bottom : image.right));
            }
            all.add(new Box(sides[1], sides[0], sides[3], sides[2]));
        }
        require(
                !all.isEmpty() || wholeWithoutBoxes,
                INVALID_ARGUMENT,
                "No bounding boxes provided as input. One must enable use_image_if_no_bounding_boxes if you wish to not"
                        + " provide any bounding boxes.");
        return all.isEmpty() ? List.of(image) : all;
    }

    /** A crop that covers enough; the whole image where none is found. */
    private Box crop(Samples random, Box image, List<Box> boxes, float cover) {
        require(
                attempts <= MOST_CHECKS / boxes.size(),
                INVALID_ARGUMENT,
                "max_attempts %,d with %,d boxes are more than %,d checks",
                attempts,
                boxes.size(),
                MOST_CHECKS);
        for (long i = 0; i < attempts; i++) {
            float aspect = random.nextFloat() * (aspects.get(1) - aspects.get(0)) + aspects.get(0);
            Box crop = within(random, image, aspect);
            if (crop == null || crop.area() < 1) continue;
            for (Box b : boxes) if (b.area() >= 1 && crop.shared(b) / b.area() >= cover) return crop;
        }
        return image;
    }

    /** A crop of an aspect ratio; null where its bounds leave none. */
    private Box within(Samples random, Box image, float aspect) {
        if (areas.get(0) > areas.get(1) || image.right == 0 || image.bottom == 0) return null;
        float least = areas.get(0) * image.right * image.bottom, most = areas.get(1) * image.right * image.bottom;
        int height = rounded((float) Math.sqrt(least / aspect)), highest = rounded((float) Math.sqrt(most / aspect));
        if (rounded(highest * aspect) > image.right) {
            highest = (int) ((image.right + 0.5 - 0.0000001f) / aspect);
            if (rounded(highest * aspect) > image.right) highest--;
        }
        highest = Math.min(highest, image.bottom);
        height = Math.min(height, highest);
        if (height < highest) height += random.uniform(highest - height + 1);
        int width = rounded(height * aspect);
        if (width * height < least) width = rounded(++height * aspect);
        if (width * height > most) width = rounded(--height * aspect);
        float area = width * height;
        boolean fits = area >= least && area <= most && width <= image.right && height <= image.bottom;
        if (!fits || width <= 0 || height <= 0) return null;
        int y = height < image.bottom ? random.uniform(image.bottom - height) : 0;
        int x = width < image.right ? random.uniform(image.right - width) : 0;
        return new Box(x, y, x + width, y + height);
    }

    private static int rounded(float x) {
        return (int) Math.rint(x);
    }
}
