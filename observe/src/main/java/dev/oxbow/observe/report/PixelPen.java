package dev.oxbow.observe.report;

import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;

import dev.oxbow.tensor.OxbowException;
import java.awt.AlphaComposite;
import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.geom.Path2D;
import java.awt.geom.Rectangle2D;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import javax.imageio.ImageIO;

/** Draws pixels, twice as many each way as the page has, by java.desktop, which no other class here knows. */
final class PixelPen implements Pen {
    private static final int SCALE = 2;

    private final BufferedImage image;
    private final Graphics2D graphics;

    PixelPen(double width, double height) {
        image = new BufferedImage((int) (SCALE * width), (int) (SCALE * height), BufferedImage.TYPE_INT_RGB);
        try {
            graphics = image.createGraphics();
            graphics.setColor(Color.WHITE);
            graphics.fillRect(0, 0, image.getWidth(), image.getHeight());
            graphics.scale(SCALE, SCALE);
            graphics.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
            graphics.setRenderingHint(RenderingHints.KEY_TEXT_ANTIALIASING, RenderingHints.VALUE_TEXT_ANTIALIAS_ON);
            graphics.setRenderingHint(RenderingHints.KEY_STROKE_CONTROL, RenderingHints.VALUE_STROKE_PURE);
            graphics.getFontMetrics(); // fails where the machine has no font at all
        } catch (RuntimeException | LinkageError e) {
            throw new OxbowException(
                    FAILED_PRECONDITION,
                    "report: pixels need java.desktop and a font on this machine (%s): SVG and HTML do not"
                            .formatted(e),
                    e);
        }
    }

    @Override
    public void box(double x, double y, double width, double height, String fill, String title) {
        graphics.setColor(Color.decode(fill));
        graphics.fill(new Rectangle2D.Double(x, y, width, height));
    }

    private static Path2D path(double[] points) {
        Path2D p = new Path2D.Double();
        p.moveTo(points[0], points[1]);
        for (int i = 2; i < points.length; i += 2) p.lineTo(points[i], points[i + 1]);
        return p;
    }

    @Override
    public void line(double[] points, String colour, double width) {
        if (points.length < 4) return;
        graphics.setColor(Color.decode(colour));
        graphics.setStroke(new BasicStroke((float) width, BasicStroke.CAP_ROUND, BasicStroke.JOIN_ROUND));
        graphics.draw(path(points));
    }

    @Override
    public void area(double[] points, String fill, double opacity) {
        if (points.length < 6) return;
        graphics.setColor(Color.decode(fill));
        graphics.setComposite(AlphaComposite.getInstance(AlphaComposite.SRC_OVER, (float) opacity));
        graphics.fill(path(points));
        graphics.setComposite(AlphaComposite.SrcOver);
    }

    @Override
    public void text(double x, double y, double size, Anchor anchor, boolean loud, String text) {
        graphics.setColor(Color.decode(loud ? "#17212b" : "#3d4a57"));
        graphics.setFont(new Font(Font.SANS_SERIF, loud ? Font.BOLD : Font.PLAIN, 1).deriveFont((float) size));
        double width = graphics.getFontMetrics().getStringBounds(text, graphics).getWidth();
        double from = switch (anchor) {
            case START -> x;
            case MIDDLE -> x - width / 2;
            case END -> x - width;
        };
        graphics.drawString(text, (float) from, (float) y);
    }

    byte[] png() {
        graphics.dispose();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try {
            ImageIO.setUseCache(false);
            ImageIO.write(image, "png", out);
        } catch (IOException e) {
            throw new UncheckedIOException(e); // memory does not fail
        }
        return out.toByteArray();
    }
}
