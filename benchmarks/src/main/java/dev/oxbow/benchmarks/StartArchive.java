package dev.oxbow.benchmarks;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32;

/** An archive of the classes that Oxbow loads for its first step, such as {@code ./oxbow} makes for its own command line. */
final class StartArchive {
    private static final double SECONDS = 60;

    private StartArchive() {}

    /** The flags with which a JVM uses the archive; none where it has not been made. */
    static List<String> flags(Build build) throws IOException {
        Path file = file(build);
        return Files.exists(file) ? List.of("-XX:SharedArchiveFile=" + file, "-Xlog:cds=off,aot=off") : List.of();
    }

    /** Makes it unless it is there; {@code folder} has the data of the perceptron. */
    static void make(Build build, Path folder) throws IOException, ChildProcess.Failure, InterruptedException {
        Path work = build.work(),
                file = file(build),
                list = work.resolve("classes.list"),
                made = work.resolve("classes.new");
        List<String> java = build.java();
        if (Files.exists(file)) return;
        Files.createDirectories(file.getParent());
        Path log = work.resolve("bench-archive.log");
        List<String> command = new ArrayList<>(java);
        command.add(1, "-XX:DumpLoadedClassList=" + list);
        command.addAll(List.of(Main.class.getName(), "child", "oxbow", "2", folder.toString()));
        try (ChildProcess child = ChildProcess.start("archive", command, Map.of(), log)) {
            child.ask(SECONDS, "first " + Workload.MLP.key());
        } catch (ChildProcess.Absent e) {
            throw new ChildProcess.Failure(e.getMessage());
        }
        command = new ArrayList<>(java);
        command.addAll(1, List.of("-Xshare:dump", "-XX:SharedClassListFile=" + list, "-XX:SharedArchiveFile=" + made));
        Process dump = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        if (!dump.waitFor((long) SECONDS, TimeUnit.SECONDS))
            dump.destroyForcibly().waitFor();
        if (dump.exitValue() != 0) throw new ChildProcess.Failure("no archive of classes, see " + log);
        try (DirectoryStream<Path> older = Files.newDirectoryStream(file.getParent(), "oxbow-*.jsa")) {
            for (Path p : older) Files.delete(p);
        }
        Files.move(made, file, StandardCopyOption.ATOMIC_MOVE);
        Files.delete(list);
    }

    /** Its name changes with the JDK and with each jar. */
    private static Path file(Build build) throws IOException {
        CRC32 all = new CRC32();
        StringBuilder key = new StringBuilder(System.getProperty("java.home")).append(Runtime.version());
        for (String entry : build.classPath()) {
            key.append(' ').append(entry);
            if (Files.exists(Path.of(entry))) key.append(Files.getLastModifiedTime(Path.of(entry)));
        }
        all.update(key.toString().getBytes(StandardCharsets.UTF_8));
        return build.work().resolve("cache/oxbow-" + Long.toHexString(all.getValue()) + ".jsa");
    }
}
