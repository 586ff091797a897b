package dev.oxbow.data.image;

import dev.oxbow.data.pipeline.Draw;

/** Changes of colours as one matrix of three rows and four columns, the last of which is added. */
final class Matrix {
    private static final double[] LUMA = {0.299, 0.587, 0.114};
    private static final double MIDDLE = 127.5;

    private Matrix() {}

    static float[] of(Augment.Colours c, Draw draw) {
        double brightness = draw.uniform(1 - c.brightness(), 1 + c.brightness());
        double contrast = draw.uniform(1 - c.contrast(), 1 + c.contrast());
        double saturation = draw.uniform(1 - c.saturation(), 1 + c.saturation());
        float[] m = new float[12];
        for (int row = 0; row < 3; row++) {
            for (int column = 0; column < 3; column++) {
                double grey = (1 - saturation) * LUMA[column];
                m[4 * row + column] = (float) (brightness * contrast * (grey + (row == column ? saturation : 0)));
            }
            m[4 * row + 3] = (float) (MIDDLE * (1 - contrast));
        }
        return m;
    }
}
