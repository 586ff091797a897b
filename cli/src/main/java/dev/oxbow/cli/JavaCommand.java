package dev.oxbow.cli;

import java.io.File;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The command line of another Java like this one: the same JDK, modules, memory and properties. */
final class JavaCommand {
    private static final List<String> KEPT =
            List.of("-X", "-D", "--add-modules", "--enable-native-access", "--sun-misc-unsafe-memory-access");
    private static final List<String> DROPPED =
            List.of("-Djdk.module.", "-Djava.class.path=", "-Dsun.java.", "-Xdebug");

    /** The launcher's archive is of our own command line's classes. */
    private static final String ARCHIVE = "-XX:SharedArchiveFile=";

    private JavaCommand() {}

    /** Runs our own command line. */
    static List<String> ours(List<String> arguments) {
        List<String> command = start(System.getProperty("java.class.path", ""), false);
        Module module = Main.class.getModule();
        if (module.isNamed()) command.add("-m");
        command.add((module.isNamed() ? module.getName() + "/" : "") + Main.class.getName());
        command.addAll(arguments);
        return command;
    }

    /** Runs a main class of a class path, which sees every module of Oxbow that we see, and all of the JDK. */
    static List<String> main(String classPath, List<String> arguments) {
        List<String> command = start(classPath, true);
        Module module = RankMain.class.getModule();
        if (module.isNamed()) command.add("-m");
        command.add((module.isNamed() ? module.getName() + "/" : "") + RankMain.class.getName());
        command.addAll(arguments);
        return command;
    }

    /** Runs a program in a source file, which sees what {@link #main} sees. */
    static List<String> source(String classPath, List<String> arguments) {
        List<String> command = start(classPath, true);
        if (System.getProperty("jdk.module.path") != null) command.addAll(List.of("--add-modules", visible()));
        command.addAll(arguments);
        return command;
    }

    /** The compiler, with what we see and a class path. */
    static List<String> compiler(String classPath) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "javac").toString());
        command.add("-proc:none");
        String modulePath = System.getProperty("jdk.module.path"), own = System.getProperty("java.class.path", "");
        if (modulePath != null) command.addAll(List.of("-p", modulePath, "--add-modules", visible()));
        command.addAll(List.of("-cp", modulePath != null ? classPath : classPath + File.pathSeparator + own));
        return command;
    }

    /** Our modules and the one for users, by name: jars of native libraries on the path are modules whose requirements are not there. */
    private static String visible() {
        return Stream.concat(
                        Stream.of("dev.oxbow"),
                        ModuleLayer.boot().modules().stream().map(Module::getName))
                .filter(name -> name.startsWith("dev.oxbow"))
                .sorted()
                .collect(Collectors.joining(","));
    }

    private static List<String> start(String classPath, boolean everything) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        for (String flag : ManagementFactory.getRuntimeMXBean().getInputArguments())
            if (starts(flag, KEPT) && !starts(flag, DROPPED) && !(everything && flag.startsWith(ARCHIVE)))
                command.add(flag);
        String modulePath = System.getProperty("jdk.module.path"), own = System.getProperty("java.class.path", "");
        if (modulePath != null) command.addAll(List.of("-p", modulePath));
        // our own modules are resolved with the main module and its services, of the JDK only what they require
        if (modulePath != null && everything) command.addAll(List.of("--add-modules", "ALL-DEFAULT"));
        // where Oxbow itself is on the class path, it stays there behind the program's own classes
        String path = everything && modulePath == null ? classPath + File.pathSeparator + own : classPath;
        if (!path.isEmpty()) command.addAll(List.of("-cp", path));
        return command;
    }

    private static boolean starts(String flag, List<String> prefixes) {
        return prefixes.stream().anyMatch(flag::startsWith);
    }
}
