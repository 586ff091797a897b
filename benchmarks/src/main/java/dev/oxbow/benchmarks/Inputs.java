package dev.oxbow.benchmarks;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Start values and data of a workload, the same for every system: a folder with one file of raw little-endian values
 * for each array and a file {@code shapes} with lines such as {@code w0 f32 784 512}. Names that start with w, b or g
 * are parameters, in order.
 */
record Inputs(Map<String, Array> arrays) {

    /** One array as little-endian bytes of f32 or i32. */
    record Array(String name, String dtype, long[] shape, byte[] bytes) {
        ByteBuffer buffer() {
            return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        }

        float[] floats() {
            float[] f = new float[bytes.length / 4];
            buffer().asFloatBuffer().get(f);
            return f;
        }

        int[] ints() {
            int[] a = new int[bytes.length / 4];
            buffer().asIntBuffer().get(a);
            return a;
        }

        boolean isParameter() {
            return "wbg".indexOf(name.charAt(0)) >= 0;
        }
    }

    static Inputs read(Path folder, String data) {
        try {
            Map<String, Array> arrays = new LinkedHashMap<>();
            for (String line : Files.readAllLines(folder.resolve(data).resolve("shapes"))) {
                String[] p = line.split(" ");
                long[] shape =
                        Arrays.stream(p).skip(2).mapToLong(Long::parseLong).toArray();
                byte[] bytes = Files.readAllBytes(folder.resolve(data).resolve(p[0]));
                arrays.put(p[0], new Array(p[0], p[1], shape, bytes));
            }
            return new Inputs(arrays);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Array get(String name) {
        return arrays.get(name);
    }

    /** A size of an array. */
    int dim(String name, int axis) {
        return Math.toIntExact(arrays.get(name).shape()[axis]);
    }

    /** The same with every parameter one unit in its last place further from 0. */
    Inputs nudged() {
        Map<String, Array> all = new LinkedHashMap<>();
        arrays.forEach((name, a) -> {
            byte[] bytes = a.bytes.clone();
            ByteBuffer b = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
            for (int i = 0; i < bytes.length && a.isParameter(); i += 4)
                if (b.getFloat(i) != 0) b.putInt(i, b.getInt(i) + 1);
            all.put(name, new Array(name, a.dtype, a.shape, bytes));
        });
        return new Inputs(all);
    }

    List<Array> parameters() {
        return arrays.values().stream().filter(Array::isParameter).toList();
    }

    /** Writes the arrays of one data set, one after the other. */
    static final class Writer {
        private static final int CHUNK = 1 << 18;

        private final Path folder;
        private final List<String> shapes = new ArrayList<>();
        private long seed;

        Writer(Path folder, long seed) throws IOException {
            this.folder = Files.createDirectories(folder);
            this.seed = seed;
        }

        /** Gaussian values with this deviation. */
        Writer gaussian(String name, double deviation, long... shape) throws IOException {
            return write(name, "f32", shape, (r, b) -> b.putFloat((float) (r.gaussian() * deviation)));
        }

        Writer constant(String name, float value, long... shape) throws IOException {
            return write(name, "f32", shape, (r, b) -> b.putFloat(value));
        }

        /** Whole numbers from 0 up to {@code bound}. */
        Writer indices(String name, int bound, long... shape) throws IOException {
            return write(name, "i32", shape, (r, b) -> b.putInt((int) (r.uniform() * bound)));
        }

        /** Zeros and ones as floats. */
        Writer coins(String name, long... shape) throws IOException {
            return write(name, "f32", shape, (r, b) -> b.putFloat(r.uniform() < 0.5 ? 0 : 1));
        }

        /** A random rotation, so that products neither grow nor vanish. */
        Writer rotation(String name, int n) throws IOException {
            Source r = new Source(++seed);
            double[][] q = new double[n][n];
            for (int i = 0; i < n; i++) {
                for (int k = 0; k < n; k++) q[i][k] = r.gaussian();
                for (int j = 0; j < i; j++) {
                    double dot = 0;
                    for (int k = 0; k < n; k++) dot += q[i][k] * q[j][k];
                    for (int k = 0; k < n; k++) q[i][k] -= dot * q[j][k];
                }
                double norm = Math.sqrt(Arrays.stream(q[i]).map(v -> v * v).sum());
                for (int k = 0; k < n; k++) q[i][k] /= norm;
            }
            int[] at = {0};
            return write(name, "f32", new long[] {n, n}, (ignored, b) -> {
                b.putFloat((float) q[at[0] / n][at[0] % n]);
                at[0]++;
            });
        }

        void finish() throws IOException {
            Files.write(folder.resolve("shapes"), shapes);
        }

        private Writer write(String name, String dtype, long[] shape, Element element) throws IOException {
            shapes.add(name + " " + dtype
                    + Arrays.stream(shape).mapToObj(d -> " " + d).collect(Collectors.joining()));
            Source random = new Source(++seed);
            long left = Arrays.stream(shape).reduce(1, (a, b) -> a * b);
            ByteBuffer chunk = ByteBuffer.allocate(4 * CHUNK).order(ByteOrder.LITTLE_ENDIAN);
            try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(folder.resolve(name)), 8)) {
                for (; left > 0; left -= Math.min(left, CHUNK)) {
                    chunk.clear();
                    for (int i = 0; i < Math.min(left, CHUNK); i++) element.put(random, chunk);
                    out.write(chunk.array(), 0, chunk.position());
                }
            }
            return this;
        }

        @FunctionalInterface
        private interface Element {
            void put(Source random, ByteBuffer to);
        }
    }

    /** A small fast generator (xorshift*); the sum of four uniform values is near enough to a Gaussian here. */
    private static final class Source {
        private static final double SCALE = Math.sqrt(3);

        private long state;

        Source(long seed) {
            state = seed * 0x9E3779B97F4A7C15L + 1;
            for (int i = 0; i < 8; i++) next();
        }

        private long next() {
            state ^= state >>> 12;
            state ^= state << 25;
            state ^= state >>> 27;
            return state * 0x2545F4914F6CDD1DL;
        }

        double uniform() {
            return (next() >>> 11) * 0x1p-53;
        }

        double gaussian() {
            long a = next();
            double sum = (a & 0xFFFF) + (a >>> 16 & 0xFFFF) + (a >>> 32 & 0xFFFF) + (a >>> 48);
            return (sum * 0x1p-16 - 2) * SCALE;
        }
    }
}
