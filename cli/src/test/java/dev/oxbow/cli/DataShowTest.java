package dev.oxbow.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.oxbow.kernels.codec.Picture;
import dev.oxbow.kernels.codec.PngDecoder;
import dev.oxbow.kernels.codec.PngEncoder;
import dev.oxbow.wire.RecordFrame;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code oxbow data show} says of files. */
final class DataShowTest {
    @TempDir
    private Path folder;

    private final StringWriter out = new StringWriter(), err = new StringWriter();

    private int show(Path file, String... options) {
        String[] words = new String[3 + options.length];
        words[0] = "data";
        words[1] = "show";
        words[2] = file.toString();
        System.arraycopy(options, 0, words, 3, options.length);
        return Main.run(new PrintWriter(out, true), new PrintWriter(err, true), words);
    }

    @Test
    void examplesHaveASchemaAndFirstRecords() {
        // features { feature { key: "a" value { int64_list { value: 5 } } } }
        byte[] example = {10, 12, 10, 10, 10, 1, 'a', 18, 5, 26, 3, 10, 1, 5};
        Path file = folder.resolve("x.tfrecord");
        RecordFrame.write(file, List.of(example, example));
        assertEquals(0, show(file, "--records", "1"), err::toString);
        assertEquals(
                List.of("0, at byte 0:", "  a: [5]", "2 Examples", "  a LONGS[1]"),
                out.toString().lines().toList());
    }

    @Test
    void imagesOfAnIdxFileBecomeOnePicture() throws IOException {
        ByteBuffer idx = ByteBuffer.allocate(16 + 9 * 4)
                .putInt(0x803)
                .putInt(9)
                .putInt(2)
                .putInt(2);
        Arrays.fill(idx.array(), 16, idx.capacity(), (byte) 7);
        Path file = Files.write(folder.resolve("t-idx3-ubyte"), idx.array()), png = folder.resolve("t.png");
        assertEquals(0, show(file, "--sheet", png.toString()), err::toString);
        Picture sheet = PngDecoder.decode(Files.readAllBytes(png), 3, false);
        assertEquals(8 * 6, sheet.width());
        assertEquals(2 * 6, sheet.height());
        assertEquals(7, sheet.samples()[0]);
        assertEquals(-1, sheet.samples()[3 * 2]);
        assertEquals(7, sheet.samples()[3 * 6 * sheet.width()]); // the ninth
    }

    @Test
    void aFolderOfImagesHasClassesAndASheet() throws IOException {
        byte[] image = PngEncoder.encode(new Picture(4, 4, 3, new byte[48]), false, 1);
        for (String name : List.of("cat", "dog")) {
            Files.createDirectories(folder.resolve("photos").resolve(name));
            Files.write(folder.resolve("photos").resolve(name).resolve("1.png"), image);
        }
        Path png = folder.resolve("photos.png");
        assertEquals(0, show(folder.resolve("photos"), "--sheet", png.toString()), err::toString);
        assertTrue(out.toString().startsWith("2 images of 2 classes"), out::toString);
        assertEquals(0, PngDecoder.decode(Files.readAllBytes(png), 3, false).samples()[0]);
    }

    @Test
    void sequencesHaveAContextAndLists() {
        assertEquals(0, show(Path.of("../data/src/test/answers/sequences.tfrecord"), "--records", "1"), err::toString);
        List<String> lines = out.toString().lines().toList();
        assertTrue(lines.contains("  words: 1 steps [[0]]"), out::toString);
        assertTrue(lines.contains("  class LONGS[1]"), out::toString);
        assertTrue(lines.contains("  places list of FLOATS[2]"), out::toString);
    }

    @Test
    void anImageHasASize() throws IOException {
        Path png = folder.resolve("x.png");
        Files.write(png, PngEncoder.encode(new Picture(5, 4, 3, new byte[60]), false, 1));
        assertEquals(0, show(png), err::toString);
        assertEquals("PNG, 5 x 4 pixels, 3 channels", out.toString().strip());
    }

    @Test
    void tablesOfParquetAreForAnotherArtifact() throws IOException {
        assertEquals(3, show(Files.createFile(folder.resolve("x.parquet"))));
        assertTrue(err.toString().contains("x.parquet is for the artifact oxbow-parquet"), err::toString);
    }

    @Test
    void whatIsNotThereIsNamed() {
        assertEquals(3, show(folder.resolve("nothing.csv")));
        assertTrue(err.toString().contains("nothing.csv"), err::toString);
    }
}
