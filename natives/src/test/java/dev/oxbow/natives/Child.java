package dev.oxbow.natives;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.oxbow.kernels.NativeLibrary;
import dev.oxbow.tensor.Tensor;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;

/** A process of its own that must end well. */
final class Child {
    private Child() {}

    /** What {@code main} prints, with or without the native libraries on its class path. */
    static String run(Class<?> main, boolean withLibraries, Map<String, String> environment, List<String> flags)
            throws IOException, InterruptedException, URISyntaxException {
        List<String> path = new ArrayList<>();
        for (Class<?> c : List.of(Tensor.class, NativeLibrary.class, Natives.class, main, Logger.class))
            path.add(Path.of(c.getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .toString());
        // In tests of a module both folders are one location.
        for (String folder : List.of("target/classes", "target/test-classes"))
            path.add(Path.of(folder).toAbsolutePath().toString());
        if (withLibraries) {
            for (String artifact : List.of("openblas", "dnnl"))
                path.add(PlatformJar.find(artifact, SharedLibrary.version(artifact), Platform.classifier())
                        .orElseThrow()
                        .toString());
        }
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--add-modules=jdk.incubator.vector",
                "--enable-native-access=ALL-UNNAMED"));
        command.addAll(flags);
        command.addAll(List.of("-cp", String.join(File.pathSeparator, path), main.getName()));
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().putAll(environment);
        Process process = builder.start();
        String out = new String(process.getInputStream().readAllBytes());
        assertEquals(0, process.waitFor(), out);
        return out.strip();
    }
}
