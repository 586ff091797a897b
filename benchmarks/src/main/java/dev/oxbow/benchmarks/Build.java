package dev.oxbow.benchmarks;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/** A build of Oxbow, this one or another checkout's, and how its JVMs are started. */
record Build(String name, Path root) {
    private static final String OWN = "oxbow";
    private static final int MINUTES = 30;

    /** The one that runs. */
    static Build own() {
        return new Build(OWN, Python.root());
    }

    /** Another checkout's, made by its own launcher; its name has the commit, or that of the folder where there is none. */
    static Build make(Path checkout) throws IOException, InterruptedException {
        Path root = checkout.toRealPath();
        Build build = new Build(OWN + "@" + version(root), root);
        if (root.equals(own().root.toRealPath())) return build;
        System.err.println("building " + build.name + " in " + root);
        Path log = own().work().resolve("bench-build.log");
        Process p = new ProcessBuilder(root.resolve("oxbow").toString(), "bench", "cpu", "--help")
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        if (!p.waitFor(MINUTES, TimeUnit.MINUTES)) p.destroyForcibly().waitFor();
        if (p.exitValue() != 0) throw new IOException(root + " can not be built, see " + log);
        return build;
    }

    static boolean isCheckout(Path folder) {
        return Files.isExecutable(folder.resolve("oxbow")) && Files.isDirectory(folder.resolve("benchmarks"));
    }

    /** Whether a system of this name is a build of Oxbow and not a peer. */
    static boolean isName(String system) {
        return system.equals(OWN) || system.startsWith(OWN + "@");
    }

    private static String version(Path root) throws InterruptedException {
        String folder = root.getFileName().toString();
        if (!Files.exists(root.resolve(".git"))) return folder;
        try {
            Process git = new ProcessBuilder(
                            "git", "-C", root.toString(), "describe", "--always", "--dirty", "--exclude=*")
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            String text = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            return git.waitFor() == 0 ? text : folder;
        } catch (IOException _) { // there is no git
            return folder;
        }
    }

    boolean isOwn() {
        return name.equals(OWN);
    }

    /** The folder of its caches and logs. */
    Path work() {
        return root.resolve(".oxbow");
    }

    List<String> classPath() {
        Path target = root.resolve("benchmarks/target");
        List<String> all =
                new ArrayList<>(List.of(target.resolve("benchmarks.jar").toString()));
        all.addAll(List.of(read(target.resolve("classpath")).strip().split(File.pathSeparator)));
        return all;
    }

    /**
     * Its JVM with the flags that {@code ./oxbow} gives Oxbow: the heap holds hardly anything, so a collector without
     * threads of its own and a small young generation serve best. The user's own flags come last and win; of collectors
     * a JVM takes only one. The class path is the last word.
     */
    List<String> java() {
        return java(flags("compiler.args"));
    }

    /** The JVM of a peer on this class path: limits on inlining are for our code. */
    List<String> peerJava() {
        return java(List.of());
    }

    /** A JVM as for programs that make much garbage. */
    List<String> plainJava() {
        List<String> command = new ArrayList<>(peerJava());
        command.removeAll(flags("collector.args"));
        command.add(1, "-XX:+UseParallelGC");
        return command;
    }

    private List<String> java(List<String> compiler) {
        List<String> own = words(Objects.requireNonNullElse(System.getenv("OXBOW_JAVA_OPTS"), ""));
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(flags("jvm.args"));
        command.addAll(compiler);
        if (own.stream().noneMatch(w -> w.matches("-XX:\\+Use\\w*GC"))) command.addAll(flags("collector.args"));
        command.addAll(own);
        command.add("-cp");
        command.add(String.join(File.pathSeparator, classPath()));
        return command;
    }

    private List<String> flags(String name) {
        return words(read(
                root.resolve("benchmarks/target/classes/dev/oxbow/benchmarks").resolve(name)));
    }

    private static List<String> words(String text) {
        return text.isBlank() ? List.of() : List.of(text.strip().split("\\s+"));
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
