package dev.oxbow.examples;

import static dev.oxbow.tensor.ErrorCode.DATA_LOSS;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.zip.GZIPInputStream;

/** The bundled handwritten digits: images of 8 by 8 pixels in [0, 1], a row of 64 each, and their classes 0 to 9. */
record Digits(float[][] images, int[] labels) {
    static final int PIXELS = 64;
    static final int CLASSES = 10;
    private static final float WHITE = 16;

    /** All 1,797 digits in the order of the file. */
    static Digits load() {
        var resource = Objects.requireNonNull(Digits.class.getResourceAsStream("digits.csv.gz"), "digits.csv.gz");
        try (var lines =
                new BufferedReader(new InputStreamReader(new GZIPInputStream(resource), StandardCharsets.US_ASCII))) {
            List<float[]> images = new ArrayList<>();
            List<Integer> labels = new ArrayList<>();
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String[] cells = line.split(",");
                require(
                        cells.length == PIXELS + 1,
                        DATA_LOSS,
                        "Digits: line %d has %d cells, wanted %d",
                        images.size() + 1,
                        cells.length,
                        PIXELS + 1);
                float[] image = new float[PIXELS];
                for (int i = 0; i < PIXELS; i++) image[i] = Float.parseFloat(cells[i]) / WHITE;
                images.add(image);
                labels.add(Integer.parseInt(cells[PIXELS]));
            }
            return new Digits(
                    images.toArray(float[][]::new),
                    labels.stream().mapToInt(Integer::intValue).toArray());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (NumberFormatException e) {
            throw new OxbowException(DATA_LOSS, "Digits: a cell is not a number: " + e.getMessage(), e);
        }
    }

    int size() {
        return labels.length;
    }

    /** The same digits in an order that depends on the seed only. */
    Digits shuffled(long seed) {
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < size(); i++) order.add(i);
        Collections.shuffle(order, new Random(seed));
        return new Digits(
                order.stream().map(i -> images[i]).toArray(float[][]::new),
                order.stream().mapToInt(i -> labels[i]).toArray());
    }

    /** Digits {@code [from, to)}. */
    Digits slice(int from, int to) {
        return new Digits(Arrays.copyOfRange(images, from, to), Arrays.copyOfRange(labels, from, to));
    }

    /** Images {@code [from, to)} as f32[to - from, 64]. */
    Tensor images(int from, int to) {
        float[] pixels = new float[(to - from) * PIXELS];
        for (int i = from; i < to; i++) System.arraycopy(images[i], 0, pixels, (i - from) * PIXELS, PIXELS);
        return Tensor.of(Shape.of(to - from, PIXELS), pixels);
    }

    /** Classes {@code [from, to)} as i32[to - from]. */
    Tensor labels(int from, int to) {
        return Tensor.of(Shape.of(to - from), Arrays.copyOfRange(labels, from, to));
    }
}
