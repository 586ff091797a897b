package dev.oxbow.benchmarks;

import java.io.File;
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
    static List<String> flags(Path work) throws IOException {
        Path file = file(work);
        return Files.exists(file) ? List.of("-XX:SharedArchiveFile=" + file, "-Xlog:cds=off,aot=off") : List.of();
    }

    /** Makes it unless it is there; {@code folder} has the data of the perceptron. Class paths with folders have none. */
    static void make(Path folder, Path work) throws IOException, ChildProcess.Failure, InterruptedException {
        Path file = file(work), list = work.resolve("classes.list"), made = work.resolve("classes.new");
        List<String> java = Contestant.java();
        if (Files.exists(file) || !entries().stream().allMatch(e -> e.endsWith(".jar"))) return;
        Path log = work.resolve("bench-archive.log");
        List<String> command = new ArrayList<>(java);
        command.add(1, "-XX:DumpLoadedClassList=" + list);
        command.addAll(List.of(Main.class.getName(), "child", Contestant.OXBOW.key(), "2", folder.toString()));
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

    private static List<String> entries() {
        return List.of(Contestant.java().getLast().split(File.pathSeparator));
    }

    /** Its name changes with the JDK and with each jar. */
    private static Path file(Path work) throws IOException {
        CRC32 all = new CRC32();
        StringBuilder key = new StringBuilder(System.getProperty("java.home")).append(Runtime.version());
        for (String entry : entries()) {
            key.append(' ').append(entry);
            if (Files.exists(Path.of(entry))) key.append(Files.getLastModifiedTime(Path.of(entry)));
        }
        all.update(key.toString().getBytes(StandardCharsets.UTF_8));
        return work.resolve("cache/oxbow-" + Long.toHexString(all.getValue()) + ".jsa");
    }
}
