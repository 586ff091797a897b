package dev.oxbow.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.kernels.codec.Picture;
import dev.oxbow.kernels.codec.PngEncoder;
import dev.oxbow.wire.RecordFrame;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code oxbow data bench} says of files. */
final class DataBenchTest {
    private static final Pattern RATES = Pattern.compile(
            "([0-9]+) rows a second, ([0-9.]+) batches of ([0-9]+), ([0-9.]+) MB a second, ([0-9]+) threads");
    private static final Pattern STAGE = Pattern.compile(" *([0-9.]+) %  (.+): ([0-9]+) in ([0-9.]+) s");
    private static final byte[] EXAMPLE = {10, 12, 10, 10, 10, 1, 'a', 18, 5, 26, 3, 10, 1, 5};

    @TempDir
    private Path folder;

    private final StringWriter out = new StringWriter(), err = new StringWriter();

    private int bench(String file, String... options) {
        String[] words = Stream.concat(Stream.of("data", "bench", file), Stream.of(options))
                .toArray(String[]::new);
        return Main.run(new PrintWriter(out, true), new PrintWriter(err, true), words);
    }

    /** Reads a file for a moment and checks all lines; the names of the stages. */
    private List<String> stages(String file, int batch) {
        assertEquals(
                0,
                bench(file, "--batch", Integer.toString(batch), "--seconds", "0.05", "--threads", "2"),
                err::toString);
        List<String> lines = out.toString().lines().toList();
        Matcher rates = RATES.matcher(lines.getFirst());
        assertTrue(rates.matches(), lines.getFirst());
        double rows = Double.parseDouble(rates.group(1)), batches = Double.parseDouble(rates.group(2));
        assertTrue(batches > 0, lines.getFirst());
        assertEquals(batch, Integer.parseInt(rates.group(3)));
        assertTrue(rows <= batch * (batches + 0.1) + 1, lines.getFirst()); // both are rounded
        assertEquals(2, Integer.parseInt(rates.group(5)));
        List<Matcher> stages =
                lines.subList(1, lines.size() - 1).stream().map(STAGE::matcher).toList();
        double shares = 0, most = -1;
        String longest = null;
        for (Matcher m : stages) {
            assertTrue(m.matches(), m::toString);
            double share = Double.parseDouble(m.group(1));
            shares += share;
            if (share > most) longest = m.group(2);
            most = Math.max(most, share);
        }
        assertEquals(100, shares, 0.1 * stages.size());
        String last = lines.getLast();
        if (stages.stream().noneMatch(ties(longest, most))) assertEquals("most of the work is '" + longest + "'", last);
        return stages.stream().map(m -> m.group(2)).toList();
    }

    /** Another stage with the same share, as far as it is printed. */
    private static Predicate<Matcher> ties(String longest, double most) {
        return m -> !m.group(2).equals(longest) && Double.parseDouble(m.group(1)) == most;
    }

    @Test
    void recordsAreParsed() {
        Path file = folder.resolve("x.tfrecord");
        RecordFrame.write(file, List.of(EXAMPLE, EXAMPLE, EXAMPLE));
        List<String> stages = stages(file.toString(), 2);
        assertTrue(stages.contains("parse"), stages::toString);
    }

    @Test
    void aPatternStandsForSeveralFiles() {
        for (int i = 0; i < 2; i++) RecordFrame.write(folder.resolve("x-" + i + ".tfrecord"), List.of(EXAMPLE));
        assertTrue(stages(folder.resolve("x-*.tfrecord").toString(), 2).contains("parse"));
    }

    @Test
    void rowsOfTablesAndLinesOfTextAreRead() throws IOException {
        Path table = Files.writeString(folder.resolve("t.csv"), "name,size\na,1\nb,2.5\n");
        assertTrue(stages(table.toString(), 2).size() > 1, out::toString);
        out.getBuffer().setLength(0);
        Path text = Files.writeString(folder.resolve("t.txt"), "one\ntwo\nthree\n");
        assertTrue(stages(text.toString(), 2).contains("line"), out::toString);
    }

    @Test
    void imagesAreAugmented() throws IOException {
        byte[] image = PngEncoder.encode(new Picture(4, 4, 3, new byte[48]), false, 1);
        Path cats = Files.createDirectories(folder.resolve("photos").resolve("cat"));
        for (int i = 0; i < 3; i++) Files.write(cats.resolve(i + ".png"), image);
        List<String> stages = stages(folder.resolve("photos").toString(), 2);
        assertTrue(stages.contains("augment"), stages::toString);
    }

    @Test
    void whatCannotBeReadIsNamed() {
        assertEquals(3, bench(folder.resolve("nothing.csv").toString()));
        assertTrue(err.toString().contains("nothing.csv"), err::toString);
    }

    @Test
    void recordsWithoutAFeatureAreRefused() {
        Path file = folder.resolve("x.tfrecord");
        RecordFrame.write(file, List.of(new byte[0]));
        assertTrue(bench(file.toString()) != 0);
        assertTrue(err.toString().contains("the first Example of " + file + " has no feature"), err::toString);
    }

    @Test
    void theTimeIsMoreThanNone() {
        assertTrue(bench("x.csv", "--seconds", "0") != 0);
        assertTrue(err.toString().contains("--seconds must be more than 0, got 0.0"), err::toString);
    }
}
