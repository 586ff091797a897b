package dev.oxbow.natives;

import java.io.File;
import java.io.IOException;
import java.net.JarURLConnection;
import java.net.URI;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Finds the jar with the shared libraries of a platform. */
final class PlatformJar {

    /*
     * Such a jar is a module that requires the binding's Java module, which is not there, so it cannot be resolved and
     * class loaders do not see it: it is looked for by name among the entries of the paths, or in their folders.
     */

    private PlatformJar() {}

    static Optional<Path> find(String artifact, String version, String platform) {
        String name = artifact + "-" + version + "-" + platform + ".jar";
        for (String property : new String[] {"jdk.module.path", "java.class.path"}) {
            for (String entry : System.getProperty(property, "").split(File.pathSeparator)) {
                if (entry.isEmpty()) continue;
                Path path = Path.of(entry);
                if (path.endsWith(name)) return Optional.of(path);
                if (!entry.endsWith(".jar") && Files.isRegularFile(path.resolve(name)))
                    return Optional.of(path.resolve(name));
            }
        }
        return onClassPath("org/bytedeco/" + artifact + "/" + platform + "/");
    }

    /** The jar that has a folder, wherever the class loader found it. */
    private static Optional<Path> onClassPath(String folder) {
        try {
            URL url = PlatformJar.class.getClassLoader().getResource(folder);
            if (url == null || !(url.openConnection() instanceof JarURLConnection jar)) return Optional.empty();
            return Optional.of(Path.of(URI.create(jar.getJarFileURL().toString())));
        } catch (IOException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
