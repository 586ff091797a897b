package dev.oxbow.benchmarks;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The perceptrons of {@code bench distributed}. */
enum Perceptron {
    /** As in {@code bench cpu}. */
    MLP(784, 512, 256, 10),
    /** Ten times the parameters. */
    MLP_LARGE(784, 2048, 2048, 10),
    /** Many small variables. */
    MLP_DEEP(deep());

    /** Rows of the batch of one worker. */
    static final int BATCH = 128;

    private final int[] widths;

    Perceptron(int... widths) {
        this.widths = widths;
    }

    private static int[] deep() {
        int[] widths = new int[42];
        Arrays.fill(widths, 64);
        widths[0] = 784;
        widths[widths.length - 1] = 10;
        return widths;
    }

    static Optional<Perceptron> of(String key) {
        return Arrays.stream(values()).filter(p -> p.key().equals(key)).findFirst();
    }

    static List<String> keys() {
        return Arrays.stream(values()).map(Perceptron::key).toList();
    }

    String key() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    String title() {
        if (widths.length > 8) return "%d-%d layers of %d-%d".formatted(widths[0], widths.length - 2, widths[1], 10);
        return String.join(
                "-", Arrays.stream(widths).mapToObj(Integer::toString).toList());
    }

    long parameters() {
        long all = 0;
        for (int i = 0; i + 1 < widths.length; i++) all += (widths[i] + 1L) * widths[i + 1];
        return all;
    }

    /** Writes start values and a batch of so many rows, where workers of all systems look for the perceptron's. */
    void write(Path folder, int rows) throws IOException {
        Inputs.Writer to = new Inputs.Writer(folder.resolve(Workload.MLP.data()), 100 * Workload.MLP.ordinal());
        for (int i = 0; i + 1 < widths.length; i++)
            to.gaussian("w" + i, Math.sqrt(1.0 / widths[i]), widths[i], widths[i + 1])
                    .constant("b" + i, 0, widths[i + 1]);
        to.gaussian("x", 1, rows, widths[0]).indices("y", 10, rows);
        to.finish();
    }
}
