package dev.oxbow.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** What is timed: its data, what one call does, and in which unit the rate is given. */
enum Workload implements Task {
    MATMUL_512("matmul 512", "GFLOP/s", 2e-9 * 512 * 512 * 512),
    MATMUL_1024("matmul 1024", "GFLOP/s", 2e-9 * 1024 * 1024 * 1024),
    MATMUL_2048("matmul 2048", "GFLOP/s", 2e-9 * 2048 * 2048 * 2048),
    MLP("mlp", "steps/s", 1),
    MLP_QUEUE("mlp queue", "steps/s", 1),
    MLP_LOOP("mlp loop", "steps/s", Workload.LOOP_STEPS),
    CNN("cnn", "images/s", 64),
    TRANSFORMER("transformer", "steps/s", 1),
    LSTM("lstm", "steps/s", 1),
    LSTM_LOOP("lstm loop", "steps/s", 1),
    EMBEDDING("embedding", "steps/s", 1),
    TINY_ADD("tiny add", "us/op", Workload.TINY_OPS),
    TINY_MATMUL("tiny matmul", "us/op", Workload.TINY_OPS),
    RELU("relu(a*b+c) 16M", "GB/s", 16e-9 * (16 << 20)),
    XENT("softmax xent 4096x32k", "GB/s", 8e-9 * 4096 * 32768);

    /** Training steps inside one call of the looped perceptron. */
    static final int LOOP_STEPS = 20;

    /** Ops of a tiny chain. */
    static final int TINY_OPS = 1000;

    /** Attention heads of the transformer block. */
    static final int HEADS = 4;

    private final String title;
    private final String unit;
    private final double units;

    Workload(String title, String unit, double units) {
        this.title = title;
        this.unit = unit;
        this.units = units;
    }

    @Override
    public String title() {
        return title;
    }

    @Override
    public String key() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    @Override
    public String unit() {
        return unit;
    }

    @Override
    public double figure(double callsPerSecond) {
        return isLowerBetter() ? 1e6 / (callsPerSecond * units) : callsPerSecond * units;
    }

    @Override
    public boolean isLowerBetter() {
        return unit.equals("us/op");
    }

    /** Only Oxbow runs it; it is compared with its plain form. */
    boolean isOwn() {
        return plain() != this;
    }

    /** The workload of which this is another form, or itself. */
    Workload plain() {
        return switch (this) {
            case MLP_QUEUE, MLP_LOOP -> MLP;
            case LSTM_LOOP -> LSTM;
            default -> this;
        };
    }

    @Override
    public boolean isTraining() {
        return switch (plain()) {
            case MLP, CNN, TRANSFORMER, LSTM, EMBEDDING -> true;
            default -> false;
        };
    }

    /** The folder of its data. */
    String data() {
        return plain().key();
    }

    /** The learning rate: where gradients are small it is large, so that a wrong one shows in the losses. */
    double rate() {
        return plain() == LSTM || plain() == EMBEDDING ? 1 : 0.01;
    }

    /** Calls whose losses are compared before anything is timed: as many steps for the perceptron as its loop has. */
    int checkedCalls() {
        return switch (this) {
            case MLP, MLP_QUEUE -> LOOP_STEPS;
            case MLP_LOOP -> 1;
            default -> 5;
        };
    }

    /** Floating-point operations of the matrix products in one call; 0 where they are not what limits it. */
    double flops() {
        double mlp = 128.0 * (784 * 512 + 512 * 256 + 256 * 10), conv = 64.0 * 14 * 14 * 25 * 32 * 64;
        return switch (this) {
            case MATMUL_512, MATMUL_1024, MATMUL_2048 -> units * 1e9;
            case MLP, MLP_QUEUE -> 6 * mlp - 2 * 128 * 784 * 512;
            case MLP_LOOP -> LOOP_STEPS * MLP.flops();
            case CNN -> 4 * 64.0 * 28 * 28 * 25 * 32 + 6 * (conv + 64.0 * (3136 * 1024 + 1024 * 10));
            case TRANSFORMER -> 6.0 * 1024 * (4 * 256 * 256 + 2 * 256 * 1024) + 6.0 * 2 * 32 * 128 * 128 * 64;
            case LSTM, LSTM_LOOP -> 2048.0 * 256 * 1024 * (4 + 6);
            default -> 0;
        };
    }

    static Optional<Workload> of(String key) {
        return Arrays.stream(values()).filter(w -> w.key().equals(key)).findFirst();
    }

    static List<String> keys() {
        return Arrays.stream(values()).map(Workload::key).toList();
    }

    @Override
    public void write(Path folder) {
        write(folder.resolve(data()), false);
    }

    @Override
    public Model prepare(Peer peer, Path folder) throws IOException {
        return peer.prepare(this, Inputs.read(folder, data()));
    }

    /** Writes data of the same form but smaller, to warm up the same kernels with where memory is measured. */
    void writeSmall(Path folder) {
        write(folder.resolve(small()), true);
    }

    String small() {
        return data() + "-small";
    }

    private void write(Path folder, boolean small) {
        try {
            Inputs.Writer to = new Inputs.Writer(folder, 100 * plain().ordinal());
            switch (plain()) {
                case MATMUL_512 -> square(to, 512);
                case MATMUL_1024 -> square(to, 1024);
                case MATMUL_2048 -> square(to, 2048);
                case MLP -> mlp(to, small);
                case CNN -> cnn(to, small);
                case TRANSFORMER -> transformer(to, small);
                case LSTM -> lstm(to);
                case EMBEDDING -> embedding(to);
                case TINY_ADD -> to.gaussian("x", 1, 16).gaussian("y", 0.01, 16);
                case TINY_MATMUL -> to.gaussian("x", 1, 8, 8).rotation("y", 8);
                case RELU ->
                    to.gaussian("x", 1, 16 << 20).gaussian("y", 1, 16 << 20).gaussian("z", 1, 16 << 20);
                case XENT -> to.gaussian("x", 1, 4096, 32768).indices("y", 32768, 4096);
                default -> throw new AssertionError(this);
            }
            to.finish();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void square(Inputs.Writer to, long n) throws IOException {
        to.gaussian("x", 1, n, n).gaussian("y", 1, n, n);
    }

    private static void dense(Inputs.Writer to, int number, int in, int out) throws IOException {
        to.gaussian("w" + number, Math.sqrt(1.0 / in), in, out).constant("b" + number, 0, out);
    }

    private static void mlp(Inputs.Writer to, boolean small) throws IOException {
        int batch = small ? 32 : 128;
        int[] sizes = small ? new int[] {256, 256, 128, 10} : new int[] {784, 512, 256, 10};
        for (int i = 0; i < 3; i++) dense(to, i, sizes[i], sizes[i + 1]);
        to.gaussian("x", 1, batch, sizes[0]).indices("y", 10, batch);
    }

    private static void cnn(Inputs.Writer to, boolean small) throws IOException {
        int batch = small ? 8 : 64, c1 = 32, c2 = 64, h = small ? 128 : 1024;
        to.gaussian("w0", Math.sqrt(0.5 / 25), 5, 5, 1, c1).constant("b0", 0, c1);
        to.gaussian("w1", Math.sqrt(0.5 / (25 * c1)), 5, 5, c1, c2).constant("b1", 0, c2);
        dense(to, 2, 49 * c2, h);
        dense(to, 3, h, 10);
        to.gaussian("x", 1, batch, 28, 28, 1).indices("y", 10, batch);
    }

    private static void transformer(Inputs.Writer to, boolean small) throws IOException {
        int batch = small ? 2 : 8, time = small ? 64 : 128, d = small ? 128 : 256;
        to.constant("g0", 1, d).constant("b0", 0, d);
        for (int i = 1; i <= 4; i++) dense(to, i, d, d);
        to.constant("g5", 1, d).constant("b5", 0, d);
        dense(to, 6, d, 4 * d);
        dense(to, 7, 4 * d, d);
        to.gaussian("x", 1, batch, time, d).gaussian("y", 1, batch, time, d);
    }

    /** Gates in the order input, forget, cell, output. */
    private static void lstm(Inputs.Writer to) throws IOException {
        to.gaussian("w0", Math.sqrt(1.0 / 256), 256, 1024).gaussian("w1", Math.sqrt(1.0 / 256), 256, 1024);
        to.constant("b0", 0, 1024).gaussian("x", 1, 64, 32, 256).gaussian("y", 0.5, 32, 256);
    }

    private static void embedding(Inputs.Writer to) throws IOException {
        to.gaussian("w0", 0.1, 1_000_000, 32);
        dense(to, 1, 26 * 32, 256);
        dense(to, 2, 256, 1);
        to.indices("x", 1_000_000, 2048, 26).coins("y", 2048, 1);
    }
}
