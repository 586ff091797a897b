package dev.oxbow.wire;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Files that TensorFlow 2.21 wrote. */
final class Fixtures {
    private Fixtures() {}

    static Path directory() {
        try {
            return Path.of(Fixtures.class.getResource("/tensorflow/graph.pb").toURI())
                    .getParent();
        } catch (URISyntaxException e) {
            throw new AssertionError(e);
        }
    }

    static Path file(String name) {
        return directory().resolve(name);
    }

    static byte[] bytes(String name) throws IOException {
        return Files.readAllBytes(file(name));
    }
}
