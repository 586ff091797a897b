package dev.oxbow.observe.report;

import dev.oxbow.observe.diagnosis.Shares;
import dev.oxbow.observe.report.Pen.Anchor;
import java.util.ArrayList;
import java.util.List;

/** A report as one picture, from top to bottom. */
final class Sheet {
    static final double WIDTH = 980;
    private static final double MARGIN = 40, GAP = 24;
    private static final int ROWS = 60, LETTERS = 128;

    private final Contents contents;
    private Pen pen;
    private double y;

    Sheet(Contents contents) {
        this.contents = contents;
    }

    /** Draws everything; how high it is. */
    double draw(Pen to) {
        pen = to;
        y = MARGIN;
        line(22, true, contents.title());
        line(12, false, contents.subtitle());
        heading("What held it up");
        for (String s : contents.diagnosis().sentences()) for (String l : wrapped(s)) line(13, false, l);
        y += 8;
        for (Shares s : contents.diagnosis().shares()) {
            Figures.shares(new Moved(pen, MARGIN, y), s);
            y += Figures.SHARES + 4;
        }
        curves();
        if (contents.timeline() != null) {
            heading("Step " + contents.timeline().step());
            Figures.timeline(new Moved(pen, MARGIN, y), contents.timeline());
            y += Figures.timelineHeight(contents.timeline());
        }
        table("Workers", Contents.WORKER, contents.workers(), LETTERS / Contents.WORKER.size());
        table("Settings", Contents.SETTING, contents.settings(), LETTERS / 2);
        return y + MARGIN;
    }

    private void line(double size, boolean loud, String text) {
        y += size;
        pen.text(MARGIN, y, size, Anchor.START, loud, text);
        y += size * 0.5;
    }

    private void heading(String text) {
        y += GAP;
        line(15, true, text);
        y += 4;
    }

    private static List<String> wrapped(String sentence) {
        List<String> out = new ArrayList<>();
        StringBuilder line = new StringBuilder();
        for (String word : sentence.split(" ")) {
            if (line.length() + word.length() > LETTERS) {
                out.add(line.toString());
                line.setLength(0);
            }
            line.append(line.isEmpty() ? "" : " ").append(word);
        }
        out.add(line.toString());
        return out;
    }

    /** Curves and scaling, two beside each other. */
    private void curves() {
        heading("Curves");
        int[] count = {0};
        contents.curves().forEach((tag, points) -> Figures.curve(next(count, tag), points));
        if (contents.scaling() != null) Figures.scaling(next(count, "scaling"), contents.scaling());
        if (count[0] % 2 == 1) y += Figures.HEIGHT + GAP;
    }

    private Pen next(int[] count, String title) {
        boolean right = count[0]++ % 2 == 1;
        double x = MARGIN + (right ? Figures.LONG - Figures.WIDTH : 0), top = y + 16;
        pen.text(x, y + 10, 12, Anchor.START, true, title);
        if (right) y += Figures.HEIGHT + GAP;
        return new Moved(pen, x, top);
    }

    private void table(String title, List<String> heads, List<List<String>> rows, int letters) {
        heading(title);
        double each = Figures.LONG / heads.size();
        row(heads, each, true, letters);
        for (List<String> r : rows.subList(0, Math.min(ROWS, rows.size()))) row(r, each, false, letters);
        if (rows.size() > ROWS) line(12, false, "and " + (rows.size() - ROWS) + " more");
    }

    private void row(List<String> cells, double each, boolean loud, int letters) {
        y += 13;
        for (int i = 0; i < cells.size(); i++) {
            String c = cells.get(i);
            String shown = c.length() > letters ? c.substring(0, letters - 1) + "\u2026" : c;
            pen.text(MARGIN + i * each, y, 12, Anchor.START, loud, shown);
        }
        y += 6;
        pen.line(new double[] {MARGIN, y, MARGIN + Figures.LONG, y}, "#dde3e9", 1);
    }
}
