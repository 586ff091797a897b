package dev.oxbow.observe.report;

/** What pictures are drawn with, be it as SVG or as pixels. Colours are {@code #rrggbb}, lengths pixels of a page. */
interface Pen {

    /** Where a text begins, or ends. */
    enum Anchor {
        START,
        MIDDLE,
        END
    }

    /** A filled box; {@code title} is told where one points at it, and may be empty. */
    void box(double x, double y, double width, double height, String fill, String title);

    /** A line through points, given as x, y, x, y, ... */
    void line(double[] points, String colour, double width);

    /** A filled area within points. */
    void area(double[] points, String fill, double opacity);

    /** A text whose base line begins, or ends, here; those that are not loud may be toned down. */
    void text(double x, double y, double size, Anchor anchor, boolean loud, String text);
}
