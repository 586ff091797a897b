package dev.oxbow.parallel.planner;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.zip.CRC32;
import java.util.zip.DeflaterOutputStream;

/** Speed-up against workers, both on logarithmic scales, as a picture. */
public final class Curve {
    private static final int WIDTH = 640;
    private static final int HEIGHT = 480;
    private static final int MARGIN = 48;
    private static final List<String> COLOURS =
            List.of("1f77b4", "d62728", "2ca02c", "9467bd", "ff7f0e", "8c564b", "17becf");

    /** One line of the picture. */
    public record Line(String name, List<Estimate> points) {}

    private final List<Line> lines;
    private final double mostX;
    private final double leastY;
    private final double mostY;

    public Curve(List<Line> lines) {
        this.lines = List.copyOf(lines);
        mostX = Math.max(10, most(e -> e.workers()));
        mostY = Math.max(10, most(Estimate::speedUp));
        double least = 1;
        for (Line l : lines) for (Estimate e : l.points()) least = Math.min(least, e.speedUp());
        leastY = Math.pow(10, Math.floor(Math.log10(Math.max(1e-6, least))));
    }

    private double most(ToDoubleFunction<Estimate> of) {
        double most = 0;
        for (Line l : lines) for (Estimate e : l.points()) most = Math.max(most, of.applyAsDouble(e));
        return most;
    }

    private double x(double workers) {
        return MARGIN + (WIDTH - 2 * MARGIN) * Math.log(workers) / Math.log(mostX);
    }

    private double y(double speedUp) {
        double share = Math.log(Math.max(leastY, speedUp) / leastY) / Math.log(mostY / leastY);
        return HEIGHT - MARGIN - (HEIGHT - 2 * MARGIN) * share;
    }

    /** Powers of ten up to a number, from another. */
    private static List<Double> tens(double from, double to) {
        List<Double> all = new ArrayList<>();
        for (double t = from; t <= to * 1.0001; t *= 10) all.add(t);
        return all;
    }

    public String svg() {
        StringBuilder out = new StringBuilder(format(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\""
                        + " font-size=\"12\">%n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>%n",
                WIDTH, HEIGHT));
        for (double t : tens(1, mostX)) {
            line(out, x(t), y(leastY), x(t), y(mostY), "dddddd", 1);
            text(out, x(t), HEIGHT - MARGIN + 16, "middle", number(t));
        }
        for (double t : tens(leastY, mostY)) {
            line(out, x(1), y(t), x(mostX), y(t), "dddddd", 1);
            text(out, MARGIN - 6, y(t) + 4, "end", number(t));
        }
        text(out, WIDTH / 2.0, HEIGHT - 10, "middle", "workers");
        text(out, MARGIN, 20, "start", "speed-up");
        for (int i = 0; i < lines.size(); i++) {
            Line l = lines.get(i);
            StringBuilder points = new StringBuilder();
            for (Estimate e : l.points()) points.append(format("%.1f,%.1f ", x(e.workers()), y(e.speedUp())));
            out.append(format(
                    "<polyline points=\"%s\" fill=\"none\" stroke=\"#%s\" stroke-width=\"2\"/>%n",
                    points.toString().trim(), colour(i)));
            out.append(format(
                    "<text x=\"%d\" y=\"%d\" fill=\"#%s\">%s</text>%n", MARGIN + 10, 40 + 16 * i, colour(i), l.name()));
        }
        return out.append("</svg>\n").toString();
    }

    private static String colour(int i) {
        return COLOURS.get(i % COLOURS.size());
    }

    private static void line(StringBuilder out, double x, double y, double toX, double toY, String colour, int width) {
        out.append(format(
                "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#%s\" stroke-width=\"%d\"/>%n",
                x, y, toX, toY, colour, width));
    }

    private static void text(StringBuilder out, double x, double y, String anchor, String text) {
        out.append(format("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>%n", x, y, anchor, text));
    }

    private static String number(double t) {
        return t >= 1 ? format("%,.0f", t) : format("%s", t);
    }

    private static String format(String format, Object... arguments) {
        return String.format(Locale.ROOT, format, arguments);
    }

    /** The same lines as a PNG, with a tick for each power of ten; the names are in the SVG. */
    public byte[] png() {
        int[] pixels = new int[WIDTH * HEIGHT];
        Arrays.fill(pixels, 0xffffff);
        for (double t : tens(1, mostX)) draw(pixels, x(t), y(leastY), x(t), y(mostY), 0xdddddd);
        for (double t : tens(leastY, mostY)) draw(pixels, x(1), y(t), x(mostX), y(t), 0xdddddd);
        for (int i = 0; i < lines.size(); i++) {
            List<Estimate> p = lines.get(i).points();
            for (int j = 1; j < p.size(); j++)
                draw(
                        pixels,
                        x(p.get(j - 1).workers()),
                        y(p.get(j - 1).speedUp()),
                        x(p.get(j).workers()),
                        y(p.get(j).speedUp()),
                        Integer.parseInt(colour(i), 16));
        }
        return encode(pixels);
    }

    private static void draw(int[] pixels, double x, double y, double toX, double toY, int colour) {
        int steps = (int) Math.ceil(Math.max(1, Math.max(Math.abs(toX - x), Math.abs(toY - y))));
        for (int i = 0; i <= steps; i++) {
            int px = (int) Math.round(x + (toX - x) * i / steps), py = (int) Math.round(y + (toY - y) * i / steps);
            if (px >= 0 && px < WIDTH && py >= 0 && py < HEIGHT) pixels[py * WIDTH + px] = colour;
        }
    }

    private static byte[] encode(int[] pixels) {
        try {
            ByteArrayOutputStream rows = new ByteArrayOutputStream();
            try (DeflaterOutputStream to = new DeflaterOutputStream(rows)) {
                for (int y = 0; y < HEIGHT; y++) {
                    to.write(0);
                    for (int x = 0; x < WIDTH; x++) {
                        int p = pixels[y * WIDTH + x];
                        to.write(new byte[] {(byte) (p >> 16), (byte) (p >> 8), (byte) p});
                    }
                }
            }
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            out.write(new byte[] {(byte) 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'});
            ByteBuffer header = ByteBuffer.allocate(13).putInt(WIDTH).putInt(HEIGHT);
            header.put((byte) 8).put((byte) 2); // eight bits of red, green and blue
            chunk(out, "IHDR", header.array());
            chunk(out, "IDAT", rows.toByteArray());
            chunk(out, "IEND", new byte[0]);
            return out.toByteArray();
        } catch (IOException e) {
            throw new UncheckedIOException(e); // memory does not fail
        }
    }

    private static void chunk(ByteArrayOutputStream out, String type, byte[] data) throws IOException {
        byte[] name = type.getBytes(StandardCharsets.US_ASCII);
        CRC32 crc = new CRC32();
        crc.update(name);
        crc.update(data);
        out.write(ByteBuffer.allocate(4).putInt(data.length).array());
        out.write(name);
        out.write(data);
        out.write(ByteBuffer.allocate(4).putInt((int) crc.getValue()).array());
    }
}
