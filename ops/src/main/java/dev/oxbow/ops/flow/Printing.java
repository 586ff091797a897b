package dev.oxbow.ops.flow;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.UNAVAILABLE;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.ops.Arguments;
import dev.oxbow.tensor.Counts;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Showing values: the text of a tensor's first elements, streams that are printed on, and the check for NaN. */
final class Printing {
    private static final Logger LOG = LoggerFactory.getLogger("dev.oxbow.ops.print");

    private Printing() {}

    /** {@code [1 2 3...]}: the first {@code most} elements, all when it is negative. */
    static String summary(Tensor t, int most) {
        long n = t.size(), shown = most < 0 ? n : Math.min(n, most);
        StringBuilder text = new StringBuilder("[");
        for (long i = 0; i < shown; i++) {
            text.append(i == 0 ? "" : " ").append(element(t, (int) i));
            Counts.objects(text.length(), 8);
        }
        return text.append(shown < n ? "...]" : "]").toString();
    }

    private static String element(Tensor t, int i) {
        if (t.dtype() == DType.STRING) return escaped((byte[]) t.objects()[i]);
        if (t.dtype().isObject()) return "?";
        if (t.dtype() == DType.BOOL) return t.getLong(i) != 0 ? "1" : "0";
        if (t.dtype().isComplex()) {
            Tensor parts = t.view(t.dtype().real(), Shape.of(2 * t.size()));
            String s = "(" + number(parts.getDouble(2L * i)) + "," + number(parts.getDouble(2L * i + 1)) + ")";
            parts.release();
            return s;
        }
        return t.dtype().isFloating() ? number(t.getDouble(i)) : Long.toString(t.getLong(i));
    }

    /** A string as C writes it: quotes, backslashes and what is no printed ASCII escaped. */
    private static String escaped(byte[] s) {
        StringBuilder text = new StringBuilder();
        for (byte b : s) {
            switch (b) {
                case '\n' -> text.append("\\n");
                case '\r' -> text.append("\\r");
                case '\t' -> text.append("\\t");
                case '"', '\'', '\\' -> text.append('\\').append((char) b);
                default -> {
                    if (b >= ' ' && b < 127) text.append((char) b);
                    else text.append("\\%03o".formatted(b & 0xff));
                }
            }
        }
        return text.toString();
    }

    private static String number(double v) {
        return v == Math.rint(v) && Math.abs(v) < 1e6 ? Long.toString((long) v) : Float.toString((float) v);
    }

    /** Prints on {@code stdout}, {@code stderr}, {@code log(level)}, or at the end of the file {@code file://path}. */
    static void print(String stream, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        try {
            switch (stream) {
                case "stdout" -> write(FileDescriptor.out, bytes);
                case "stderr" -> write(FileDescriptor.err, bytes);
                case "log(info)" -> LOG.info(text);
                case "log(warning)" -> LOG.warn(text);
                case "log(error)" -> LOG.error(text);
                default -> {
                    require(
                            stream.startsWith("file://"),
                            INVALID_ARGUMENT,
                            "'%s' is no stream that can be printed on",
                            stream);
                    Path file = Arguments.path(stream.substring("file://".length()));
                    Files.write(file, bytes, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
                }
            }
        } catch (IOException e) {
            throw new OxbowException(UNAVAILABLE, "cannot write to %s: %s".formatted(stream, e.getMessage()), e);
        }
    }

    /** The stream stays open: it is the process's own. */
    @SuppressWarnings("resource")
    private static void write(FileDescriptor stream, byte[] bytes) throws IOException {
        OutputStream out = new FileOutputStream(stream);
        out.write(bytes);
        out.flush();
    }

    /** Fails when a floating tensor holds an infinity or NaN; {@code signs} tells infinities apart. */
    static void requireFinite(Tensor t, String message, boolean signs) {
        boolean nan = false, plus = false, minus = false;
        for (long i = 0, n = t.size(); i < n; i++) {
            double v = t.getDouble(i);
            if (Math.abs(v) <= Double.MAX_VALUE) continue;
            nan |= Double.isNaN(v);
            plus |= v > 0;
            minus |= v < 0;
        }
        if (!nan && !plus && !minus) return;
        StringBuilder what = new StringBuilder();
        if (signs && minus) what.append("-Inf");
        if (signs && plus) what.append(what.isEmpty() ? "" : ", ").append("+Inf");
        if (!signs && (plus || minus)) what.append("Inf");
        if (nan) what.append(what.isEmpty() ? "" : " and ").append("NaN");
        throw new OxbowException(INVALID_ARGUMENT, "%s : Tensor had %s values".formatted(message, what));
    }
}
