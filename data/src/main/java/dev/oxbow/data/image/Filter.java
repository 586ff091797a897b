package dev.oxbow.data.image;

import dev.oxbow.kernels.image.Resize;

/** How pixels between pixels are made. */
public enum Filter {
    /** The two nearest along each axis, by distance. */
    BILINEAR,
    /** The four nearest along each axis, by Keys' cubic. */
    BICUBIC,
    /** The mean of what a pixel covers; for images that shrink. */
    AREA;

    private static final Resize.Grid CENTRES = new Resize.Grid(false, true);
    private static final Resize.Grid CORNERS = new Resize.Grid(false, false);

    Resize.Taps taps(int in, int out) {
        return switch (this) {
            case BILINEAR -> Resize.bilinear(in, out, CENTRES);
            case BICUBIC -> Resize.bicubic(in, out, CENTRES);
            case AREA -> Resize.area(in, out, CORNERS);
        };
    }
}
