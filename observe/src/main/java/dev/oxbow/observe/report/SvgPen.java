package dev.oxbow.observe.report;

import java.util.Locale;

/** Draws SVG, which needs no fonts, files or scripts of others. */
final class SvgPen implements Pen {
    private final StringBuilder out = new StringBuilder();

    static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;")
                .replace("'", "&#39;");
    }

    private void add(String form, Object... values) {
        out.append(String.format(Locale.ROOT, form, values));
    }

    @Override
    public void box(double x, double y, double width, double height, String fill, String title) {
        add("<rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\" fill=\"%s\"", x, y, width, height, fill);
        out.append(title.isEmpty() ? "/>" : "><title>" + escaped(title) + "</title></rect>");
    }

    private static String list(double[] points) {
        StringBuilder s = new StringBuilder();
        for (int i = 0; i < points.length; i += 2)
            s.append(String.format(Locale.ROOT, i == 0 ? "%.1f,%.1f" : " %.1f,%.1f", points[i], points[i + 1]));
        return s.toString();
    }

    @Override
    public void line(double[] points, String colour, double width) {
        add(
                "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"%.1f\" stroke-linejoin=\"round\"/>",
                list(points), colour, width);
    }

    @Override
    public void area(double[] points, String fill, double opacity) {
        add("<polygon points=\"%s\" fill=\"%s\" opacity=\"%.2f\"/>", list(points), fill, opacity);
    }

    @Override
    public void text(double x, double y, double size, Anchor anchor, boolean loud, String text) {
        add("<text x=\"%.1f\" y=\"%.1f\" font-size=\"%.1f\"", x, y, size);
        if (anchor != Anchor.START) add(" text-anchor=\"%s\"", anchor.name().toLowerCase(Locale.ROOT));
        if (loud) add(" font-weight=\"600\"");
        add(">%s</text>", escaped(text));
    }

    /** What was drawn, as a part of a page. */
    String inline(double width, double height) {
        return String.format(Locale.ROOT, "<svg viewBox=\"0 0 %.0f %.0f\" role=\"img\">%s</svg>", width, height, out);
    }

    /** What was drawn, as a file of its own. */
    String file(double width, double height) {
        return String.format(
                Locale.ROOT,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\""
                        + " font-family=\"system-ui, sans-serif\" fill=\"#17212b\">%n"
                        + "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>%n%s</svg>%n",
                width,
                height,
                width,
                height,
                out.toString().replace("><", ">\n<"));
    }
}
