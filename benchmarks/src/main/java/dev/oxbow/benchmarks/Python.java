package dev.oxbow.benchmarks;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The virtual environment of the Python systems, made once under the work folder. */
final class Python {
    private static final List<String> PACKAGES = List.of("torch", "jax", "tensorflow-cpu", "numpy");
    private static final int MINUTES = 30;

    private Python() {}

    static Path executable(Path work) {
        return work.resolve("venv/bin/python");
    }

    /** That of one framework, where it has an environment of its own beside the common one. */
    static Path executable(Path work, String framework) {
        return hasOwn(work, framework) ? own(work, framework) : executable(work);
    }

    static boolean hasOwn(Path work, String framework) {
        return Files.isExecutable(own(work, framework));
    }

    private static Path own(Path work, String framework) {
        return work.resolve("venv-" + framework + "/bin/python");
    }

    /** The folder of our own Python programs. */
    static Path scripts() {
        return root().resolve("benchmarks/python");
    }

    /** The repository. */
    static Path root() {
        return Path.of(System.getProperty("oxbow.root", "")).toAbsolutePath();
    }

    /** Makes the environment unless a whole one is there. */
    static void install(Path work) throws IOException, InterruptedException {
        Path done = work.resolve("venv/installed");
        if (Files.exists(done)) return;
        System.err.println("Making a Python environment in " + work.resolve("venv") + " (several GB, minutes) ...");
        Path log = work.resolve("venv.log");
        run(log, List.of("python3", "-m", "venv", work.resolve("venv").toString()));
        List<String> pip = new ArrayList<>(List.of(executable(work).toString(), "-m", "pip", "install", "-q"));
        pip.addAll(PACKAGES);
        run(log, pip);
        Files.writeString(done, String.join(" ", PACKAGES) + "\n");
    }

    private static void run(Path log, List<String> command) throws IOException, InterruptedException {
        Process p = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(new File(log.toString())))
                .start();
        if (!p.waitFor(MINUTES, TimeUnit.MINUTES)) p.destroyForcibly().waitFor();
        if (p.exitValue() != 0) throw new IOException(String.join(" ", command) + " failed, see " + log);
    }
}
