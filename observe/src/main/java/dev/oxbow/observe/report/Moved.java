package dev.oxbow.observe.report;

/** Draws elsewhere: everything is moved by as much. */
record Moved(Pen pen, double dx, double dy) implements Pen {

    private double[] moved(double[] points) {
        double[] out = points.clone();
        for (int i = 0; i < out.length; i++) out[i] += i % 2 == 0 ? dx : dy;
        return out;
    }

    @Override
    public void box(double x, double y, double width, double height, String fill, String title) {
        pen.box(x + dx, y + dy, width, height, fill, title);
    }

    @Override
    public void line(double[] points, String colour, double width) {
        pen.line(moved(points), colour, width);
    }

    @Override
    public void area(double[] points, String fill, double opacity) {
        pen.area(moved(points), fill, opacity);
    }

    @Override
    public void text(double x, double y, double size, Anchor anchor, boolean loud, String text) {
        pen.text(x + dx, y + dy, size, anchor, loud, text);
    }
}
