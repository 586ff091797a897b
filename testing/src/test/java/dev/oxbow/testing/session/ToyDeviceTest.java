package dev.oxbow.testing.session;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A jar that nobody here knows brings a device with a kernel of its own. */
@Timeout(300)
final class ToyDeviceTest {
    private static final String DEVICE = """
            package toy;

            import dev.oxbow.graph.Containers;
            import dev.oxbow.graph.Kernel;
            import dev.oxbow.graph.Op;
            import dev.oxbow.kernels.Parallel;
            import dev.oxbow.ops.math.Neg;
            import dev.oxbow.ops.math.Sum;
            import dev.oxbow.runtime.Device;
            import dev.oxbow.runtime.DeviceProvider;
            import dev.oxbow.runtime.DeviceSpec;
            import dev.oxbow.runtime.EngineOptions;
            import dev.oxbow.runtime.Formula;
            import dev.oxbow.runtime.Width;
            import dev.oxbow.tensor.MemoryPool;
            import java.util.List;

            /** A device that can be given negations and sums, and has a kernel for negations: it answers 42. */
            public final class ToyDevices implements DeviceProvider {
                private record Toy(DeviceSpec spec, MemoryPool memory, Parallel parallel, Containers containers) implements Device {
                    @Override
                    public boolean supports(Op op) {
                        return op instanceof Neg || op instanceof Sum;
                    }

                    @Override
                    public Kernel kernel(Op op) {
                        if (!(op instanceof Neg)) return null;
                        return c -> {
                            for (long i = 0; i < c.output(0).size(); i++) c.output(0).set(i, 42);
                        };
                    }

                    @Override
                    public Kernel fused(Formula f) {
                        return c -> {
                            for (var y : c.outputs())
                                for (long i = 0; i < y.size(); i++) y.set(i, 42);
                        };
                    }
                }

                @Override
                public List<Device> devices(EngineOptions options, Width parallel) {
                    var spec = new DeviceSpec(options.task() + "/device:TOY:0", "TOY", 1, Long.MAX_VALUE);
                    return List.of(new Toy(spec, new MemoryPool("TOY:0", Long.MAX_VALUE), parallel, new Containers()));
                }
            }
            """;

    private static Path jar(Path folder, List<String> path) throws IOException {
        Path source = folder.resolve("toy/ToyDevices.java"), classes = folder.resolve("classes");
        Files.createDirectories(source.getParent());
        Files.createDirectories(classes);
        Files.writeString(source, DEVICE);
        int status = ToolProvider.findFirst("javac")
                .orElseThrow()
                .run(
                        System.out,
                        System.err,
                        "-proc:none",
                        "-cp",
                        String.join(File.pathSeparator, path),
                        "-d",
                        classes.toString(),
                        source.toString());
        assertEquals(0, status);
        Path jar = folder.resolve("toy.jar");
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar));
                Stream<Path> files = Files.walk(classes)) {
            out.putNextEntry(new JarEntry("META-INF/services/dev.oxbow.runtime.DeviceProvider"));
            out.write("toy.ToyDevices\n".getBytes());
            for (Path f : files.filter(Files::isRegularFile).toList()) {
                out.putNextEntry(new JarEntry(classes.relativize(f).toString()));
                out.write(Files.readAllBytes(f));
            }
        }
        return jar;
    }

    @Test
    void aDeviceOfAnotherJarIsFoundAndGivenWhatItSupports(@TempDir Path folder) throws Exception {
        List<String> path = new ArrayList<>();
        for (String property : List.of("java.class.path", "jdk.module.path"))
            path.add(System.getProperty(property, ""));
        for (String classes : List.of("target/classes", "target/test-classes"))
            path.add(Path.of(classes).toAbsolutePath().toString());
        path.add(jar(folder, path).toString());
        Path out = folder.resolve("out"), err = folder.resolve("err");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx1g",
                        "-cp",
                        String.join(File.pathSeparator, path),
                        ToyProcess.class.getName())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start();
        assertEquals(0, process.waitFor(), () -> read(err));
        assertEquals(
                List.of(
                        "devices: CPU:0 TOY:0",
                        "wished: 42.0 on TOY:0",
                        "unwished: 42.0 on TOY:0",
                        "pinned to the CPU: -3.0 on CPU:0",
                        "without a kernel of its own: 6.0 on TOY:0",
                        "not supported, without a wish: 9.0 on CPU:0",
                        "not supported, wished: INVALID_ARGUMENT Cannot assign a device for operation Square: it wishes '/device:TOY:0',"
                                + " and the devices are /job:localhost/replica:0/task:0/device:TOY:0, /job:localhost/replica:0/task:0/device:CPU:0;"
                                + " of those, [/job:localhost/replica:0/task:0/device:CPU:0] have kernels for all that must share it",
                        "not supported, wished, softly: 9.0 on CPU:0"),
                Files.readAllLines(out),
                () -> read(err));
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return e.toString();
        }
    }
}
