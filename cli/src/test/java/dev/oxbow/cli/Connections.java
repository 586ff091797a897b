package dev.oxbow.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Cuts processes of this machine off from those that they are connected to, where that can be done. */
final class Connections {
    private static final Path SS = Path.of("/usr/bin/ss");
    private static final Pattern LINE = Pattern.compile("\\S+\\s+\\d+\\s+\\d+\\s+\\S+:(\\d+)\\s.*pid=(\\d+),.*");

    private Connections() {}

    /** It takes root, and {@code ss} of iproute2. */
    static boolean canCut() {
        return Files.isExecutable(SS) && System.getProperty("user.name").equals("root");
    }

    /** Ends all TCP connections of a process; whether there were any. */
    static boolean cut(long pid) throws IOException, InterruptedException {
        boolean any = false;
        for (String line : run("-tnpH")) {
            Matcher m = LINE.matcher(line);
            if (!m.matches() || Long.parseLong(m.group(2)) != pid) continue;
            run("-K", "sport", "=", ":" + m.group(1));
            any = true;
        }
        return any;
    }

    private static List<String> run(String... arguments) throws IOException, InterruptedException {
        String[] command = new String[arguments.length + 1];
        command[0] = SS.toString();
        System.arraycopy(arguments, 0, command, 1, arguments.length);
        Process p = new ProcessBuilder(command).redirectErrorStream(true).start();
        List<String> all = p.inputReader().readAllLines();
        p.waitFor();
        return all;
    }
}
