package dev.oxbow.observe.report;

import dev.oxbow.observe.diagnosis.Shares;
import dev.oxbow.observe.run.Run;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/** Writes a run down as one file: what held it up, curves, scaling, a timeline, workers, settings. */
public final class Report {
    private static final String STYLE = """
            body { font: 14px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #17212b; background: #fff; }
            h1 { font-size: 1.4rem; } h2 { font-size: 1.05rem; margin-top: 2rem; } .quiet { color: #5b6875; }
            .curves { display: grid; grid-template-columns: repeat(auto-fill, minmax(18rem, 1fr)); gap: 1rem; }
            figure { margin: 0; border: 1px solid #dde3e9; border-radius: 8px; padding: .6rem; } svg { width: 100%; height: auto; display: block; }
            figcaption { font-weight: 600; overflow-wrap: anywhere; } table { border-collapse: collapse; } td, th { text-align: left; padding: .2rem .8rem .2rem 0; border-bottom: 1px solid #dde3e9; }
            .scroll { overflow-x: auto; }
            @media (prefers-color-scheme: dark) { body { color: #e6edf3; background: #0e141b; } figure, td, th { border-color: #2a3542; } .quiet { color: #93a1b0; } text { fill: #93a1b0; } }
            """;

    private final StringBuilder out = new StringBuilder();

    private Report() {}

    /** What a report can be. */
    public enum Format {
        HTML,
        SVG,
        PNG;

        /** The format that the name of a file asks for; null where it asks for none. */
        public static Format of(String file) {
            for (Format f : values()) if (file.toLowerCase(Locale.ROOT).endsWith("." + f.suffix())) return f;
            return null;
        }

        public String suffix() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** The file of a run; others are held against it where it is about scaling. */
    public static byte[] of(Run run, List<Run> others, Format format) throws IOException {
        Contents c = Contents.of(run, others);
        return switch (format) {
            case HTML -> html(c).getBytes(StandardCharsets.UTF_8);
            case SVG -> {
                SvgPen pen = new SvgPen();
                yield pen.file(Sheet.WIDTH, new Sheet(c).draw(pen)).getBytes(StandardCharsets.UTF_8);
            }
            case PNG -> {
                PixelPen pen = new PixelPen(Sheet.WIDTH, new Sheet(c).draw(new SvgPen()));
                new Sheet(c).draw(pen);
                yield pen.png();
            }
        };
    }

    private static String html(Contents c) {
        Report r = new Report();
        r.page(c);
        return r.out.toString();
    }

    private void page(Contents c) {
        out.append("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>")
                .append(SvgPen.escaped(c.title()))
                .append("</title><meta name=\"viewport\" content=\"width=device-width\"><style>\n")
                .append(STYLE)
                .append("</style></head><body>\n");
        text("<h1>%s</h1>", c.title());
        text("<p class=\"quiet\">%s</p>", c.subtitle());
        text("<h2>%s</h2>", "What held it up");
        for (String s : c.diagnosis().sentences()) text("<p>%s</p>", s);
        for (Shares s : c.diagnosis().shares()) picture(Figures.LONG, Figures.SHARES, pen -> Figures.shares(pen, s));
        curves(c);
        if (c.timeline() != null) {
            text("<h2>%s</h2>", "Step " + c.timeline().step());
            out.append("<figure>");
            picture(Figures.LONG, Figures.timelineHeight(c.timeline()), pen -> Figures.timeline(pen, c.timeline()));
            out.append("</figure>\n");
        }
        table("Workers", Contents.WORKER, c.workers());
        table("Settings", Contents.SETTING, c.settings());
        out.append("</body></html>\n");
    }

    /** Adds markup with a text in it, which is escaped. */
    private void text(String markup, String text) {
        out.append(markup.replace("%s", SvgPen.escaped(text))).append('\n');
    }

    private void picture(double width, double height, Consumer<Pen> drawing) {
        SvgPen pen = new SvgPen();
        drawing.accept(pen);
        out.append(pen.inline(width, height)).append('\n');
    }

    private void curves(Contents c) {
        text("<h2>%s</h2>", "Curves");
        out.append("<div class=\"curves\">\n");
        c.curves().forEach((tag, points) -> figure(tag, pen -> Figures.curve(pen, points)));
        if (c.scaling() != null) figure("scaling", pen -> Figures.scaling(pen, c.scaling()));
        out.append("</div>\n");
    }

    private void figure(String title, Consumer<Pen> drawing) {
        out.append("<figure>");
        text("<figcaption>%s</figcaption>", title);
        picture(Figures.WIDTH, Figures.HEIGHT, drawing);
        out.append("</figure>\n");
    }

    private void table(String title, List<String> heads, List<List<String>> rows) {
        text("<h2>%s</h2>", title);
        out.append("<div class=\"scroll\"><table><tr>");
        for (String h : heads) text("<th>%s</th>", h);
        out.append("</tr>\n");
        for (List<String> r : rows) {
            out.append("<tr>");
            for (String c : r) text("<td>%s</td>", c);
            out.append("</tr>\n");
        }
        out.append("</table></div>\n");
    }
}
