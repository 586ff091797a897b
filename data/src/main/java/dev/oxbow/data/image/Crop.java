package dev.oxbow.data.image;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.data.pipeline.Draw;

/** Which part of an image is taken. */
public sealed interface Crop {
    /** All of it. */
    Crop WHOLE = new Whole();

    /** A part of an image, in pixels. */
    record Window(int x, int y, int width, int height) {}

    /** The part of an image of a size. */
    Window window(int width, int height, Augment to, Draw draw);

    /** All of it. */
    record Whole() implements Crop {
        @Override
        public Window window(int width, int height, Augment to, Draw draw) {
            return new Window(0, 0, width, height);
        }
    }

    /** The middle, in the form of the result, of a share of the largest such part. */
    record Centre(double share) implements Crop {
        public Centre {
            require(share > 0 && share <= 1, INVALID_ARGUMENT, "crop: a share must be in (0, 1], got %s", share);
        }

        @Override
        public Window window(int width, int height, Augment to, Draw draw) {
            double scale = Math.min(width / (double) to.width(), height / (double) to.height()) * share;
            int w = Math.clamp(Math.round(to.width() * scale), 1, width);
            int h = Math.clamp(Math.round(to.height() * scale), 1, height);
            return new Window((width - w) / 2, (height - h) / 2, w, h);
        }
    }

    /** A random area in a random form; the middle where ten draws do not fit. */
    record Random(double least, double most, double narrow, double broad) implements Crop {
        private static final int ATTEMPTS = 10;

        public Random {
            require(
                    least > 0 && least <= most && most <= 1 && narrow > 0 && narrow <= broad,
                    INVALID_ARGUMENT,
                    "crop: wants shares in (0, 1] and ratios above 0, each with the smaller one first, got %s, %s, %s, %s",
                    least,
                    most,
                    narrow,
                    broad);
        }

        @Override
        public Window window(int width, int height, Augment to, Draw draw) {
            for (int i = 0; i < ATTEMPTS; i++) {
                double area = draw.uniform(least, most) * width * height;
                double form = Math.exp(draw.uniform(Math.log(narrow), Math.log(broad)));
                long w = Math.round(Math.sqrt(area * form)), h = Math.round(Math.sqrt(area / form));
                if (w < 1 || h < 1 || w > width || h > height) continue;
                return new Window(draw.below(width - (int) w + 1), draw.below(height - (int) h + 1), (int) w, (int) h);
            }
            double form = Math.clamp(width / (double) height, narrow, broad);
            int w = Math.clamp(Math.round(height * form), 1, width);
            int h = Math.clamp(Math.round(w / form), 1, height);
            return new Window((width - w) / 2, (height - h) / 2, w, h);
        }
    }
}
