package dev.oxbow.testing.fuzz;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.CheckpointReader;
import dev.oxbow.wire.CheckpointWriter;
import dev.oxbow.wire.Npy;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * Reads mutants of npy, npz and checkpoint files: {@code FileFuzz --minutes 5 --seed 1 [--only REGEX] [--case N]}. A case
 * follows from seed and number alone. Prints each failure with its number, and exits 1 if there was one.
 */
public final class FileFuzz implements Fuzz {
    private static final String INDEX = "ckpt.index";
    private static final String DATA = "ckpt.data-00000-of-00001";

    private final Path directory;
    private final Map<String, byte[]> files = new TreeMap<>();
    private final Map<String, byte[]> saved = new TreeMap<>();

    private final List<String> names;

    public FileFuzz(Pattern only) {
        try {
            directory = Files.createTempDirectory("oxbow-file-fuzz");
            Runtime.getRuntime().addShutdownHook(new Thread(this::delete));
            write();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        names = files.keySet().stream().filter(n -> only.matcher(n).find()).toList();
    }

    private void delete() {
        try (var left = Files.list(directory)) {
            for (Path p : left.toList()) Files.delete(p);
            Files.delete(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void write() throws IOException {
        List<Tensor> tensors = new ArrayList<>();
        for (DType dtype : List.of(DType.F32, DType.F16, DType.C128, DType.BOOL, DType.I64))
            tensors.add(filled(dtype, Shape.of(2, 3)));
        tensors.add(Tensor.ofObjects(
                DType.STRING, Shape.of(2), "abc".getBytes(StandardCharsets.UTF_8), new byte[] {1, (byte) 0xff}));
        tensors.add(filled(DType.F64, Shape.of(0, 4)));
        try (var zip = new ZipOutputStream(Files.newOutputStream(directory.resolve("all.npz")));
                var checkpoint = new CheckpointWriter(directory.resolve("ckpt"))) {
            for (int i = 0; i < tensors.size(); i++) {
                Npy.write(directory.resolve(i + ".npy"), tensors.get(i));
                zip.putNextEntry(new ZipEntry(i + ".npy"));
                Npy.write(zip, tensors.get(i));
                checkpoint.add("t" + i, tensors.get(i));
                saved.put("t" + i, content(tensors.get(i)));
            }
            checkpoint.finish();
        }
        tensors.forEach(Tensor::close);
        try (var written = Files.list(directory)) {
            for (Path p : written.toList()) files.put(p.getFileName().toString(), Files.readAllBytes(p));
        }
    }

    private static Tensor filled(DType dtype, Shape shape) {
        Tensor t = Tensor.zeros(dtype, shape);
        if (!dtype.isComplex()) for (long i = 0; i < t.size(); i++) t.setLong(i, i % 2);
        return t;
    }

    private static byte[] content(Tensor t) {
        if (t.dtype() != DType.STRING) return t.bytes();
        StringBuilder s = new StringBuilder();
        for (Object o : t.objects()) s.append(Arrays.toString((byte[]) o));
        return s.toString().getBytes(StandardCharsets.UTF_8);
    }

    public static void main(String[] arguments) throws Exception {
        System.exit(run(arguments, System.out));
    }

    /** Does what the arguments say; the exit status. */
    public static int run(String[] arguments, PrintStream out) throws Exception {
        return ForkedFuzz.main(FileFuzz.class, FileFuzz::new, List.of(), arguments, out);
    }

    @Override
    public Trial trial(long seed) {
        Random random = new Random(seed);
        String name = names.get(random.nextInt(names.size()));
        byte[] mutant = mutated(files.get(name), random);
        return new Trial() {
            @Override
            public String subject() {
                return name;
            }

            @Override
            public Throwable run() throws IOException {
                return failure(name, mutant);
            }

            @Override
            public void describe(PrintStream out) {
                out.println("  " + mutant.length + " bytes: " + HexFormat.of().formatHex(mutant));
            }
        };
    }

    private Throwable failure(String name, byte[] mutant) throws IOException {
        Path file = directory.resolve(name);
        Files.write(file, mutant);
        try {
            read(name, file);
            return null;
        } catch (OxbowException e) {
            return e.code() == ErrorCode.INTERNAL ? e : null;
        } catch (RuntimeException | Error e) {
            return e;
        } finally {
            Files.write(file, files.get(name));
        }
    }

    private void read(String name, Path file) {
        if (name.endsWith(".npy")) {
            Npy.read(file).close();
        } else if (name.endsWith(".npz")) {
            Npy.readNpz(file).values().forEach(Tensor::close);
        } else if (name.equals(INDEX) || name.equals(DATA)) {
            try (CheckpointReader reader = CheckpointReader.open(directory.resolve("ckpt"))) {
                for (String tensor : reader.names()) {
                    try (Tensor t = reader.read(tensor)) {
                        if (!Arrays.equals(content(t), saved.get(tensor)))
                            throw new IllegalStateException(tensor + " has a wrong value, and nobody noticed");
                    }
                }
            }
        }
    }

    private static byte[] mutated(byte[] valid, Random random) {
        byte[] bytes = valid.clone();
        for (int k = 1 + random.nextInt(4); k > 0 && bytes.length > 0; k--) {
            int at = random.nextInt(bytes.length);
            switch (random.nextInt(8)) {
                case 0 -> bytes[at] = (byte) random.nextInt();
                case 1 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
                case 2 -> Arrays.fill(bytes, at, Math.min(bytes.length, at + 9), (byte) 0xff);
                case 3 -> bytes = Arrays.copyOf(bytes, at);
                case 4 -> bytes = Arrays.copyOf(bytes, bytes.length + random.nextInt(100));
                case 5 -> System.arraycopy(bytes, at, bytes, 0, Math.min(8, bytes.length - at));
                case 6 -> digits(bytes, at, random);
                default -> bytes = inserted(bytes, at, random);
            }
        }
        return bytes;
    }

    /** Another number where one stands, as in the header of an npy file. */
    private static void digits(byte[] bytes, int from, Random random) {
        for (int i = 0; i < bytes.length; i++) {
            int at = (from + i) % bytes.length;
            if (bytes[at] < '0' || bytes[at] > '9') continue;
            bytes[at] = (byte) ('0' + random.nextInt(10));
            return;
        }
    }

    private static byte[] inserted(byte[] bytes, int at, Random random) {
        byte[] text = new String[] {"9999999999", "-1", ", 7", "'", "1".repeat(30), "1,".repeat(300)}
                [random.nextInt(6)].getBytes(StandardCharsets.US_ASCII);
        byte[] more = Arrays.copyOf(bytes, bytes.length + text.length);
        System.arraycopy(text, 0, more, at, text.length);
        System.arraycopy(bytes, at, more, at + text.length, bytes.length - at);
        return more;
    }
}
