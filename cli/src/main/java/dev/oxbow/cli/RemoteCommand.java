package dev.oxbow.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The words that run a command on another host, in the same folder, with environment variables of its own. */
final class RemoteCommand {
    private RemoteCommand() {}

    /** @param ssh how hosts are reached, such as {@code ssh -p 2222} */
    static List<String> over(String ssh, String host, Map<String, String> environment, List<String> command) {
        List<String> words = new ArrayList<>(List.of(ssh.strip().split("\\s+")));
        Map<String, String> told = new TreeMap<>(environment);
        told.put(Lifeline.VARIABLE, Lifeline.BY_INPUT);
        words.add(host);
        words.add("cd %s && exec env %s %s"
                .formatted(
                        quoted(System.getProperty("user.dir")),
                        told.entrySet().stream()
                                .map(e -> e.getKey() + "=" + quoted(e.getValue()))
                                .collect(Collectors.joining(" ")),
                        command.stream().map(RemoteCommand::quoted).collect(Collectors.joining(" "))));
        return words;
    }

    /** As a shell reads it back. */
    private static String quoted(String word) {
        return "'" + word.replace("'", "'\\''") + "'";
    }
}
