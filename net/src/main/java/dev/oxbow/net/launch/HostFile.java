package dev.oxbow.net.launch;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.tensor.OxbowException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Hosts and how many workers each takes, a line for each: {@code HOST slots=N}, or {@code HOST} for one; {@code #} begins a comment. */
public record HostFile(List<Host> hosts) {
    private static final Pattern LINE = Pattern.compile("(?<host>[A-Za-z0-9_.@-]+)(?:\\s+slots=(?<slots>[0-9]{1,4}))?");

    /** @param name as ssh takes it, such as {@code user@node7} */
    public record Host(String name, int slots) {

        /** Whether processes are started without ssh. */
        public boolean isLocal() {
            return isThisHost(name);
        }
    }

    public HostFile {
        hosts = List.copyOf(hosts);
    }

    /** The host of each place for a process, in the order of the file. */
    public List<Host> places() {
        List<Host> all = new ArrayList<>();
        for (Host h : hosts) for (int i = 0; i < h.slots; i++) all.add(h);
        return all;
    }

    public static HostFile read(Path file) {
        try {
            return parse(Files.readString(file), file.toString());
        } catch (IOException e) {
            throw new OxbowException(INVALID_ARGUMENT, "hosts: can not read %s: %s".formatted(file, e), e);
        }
    }

    /** @param name of the file, for errors */
    static HostFile parse(String text, String name) {
        List<Host> all = new ArrayList<>();
        Set<String> seen = new HashSet<>();
        int number = 0;
        for (String line : text.lines().toList()) {
            number++;
            String said = line.replaceFirst("#.*", "").strip();
            if (said.isEmpty()) continue;
            Matcher m = LINE.matcher(said);
            require(m.matches(), INVALID_ARGUMENT, "%s, line %d: wanted is HOST slots=N, got '%s'", name, number, said);
            require(seen.add(m.group("host")), INVALID_ARGUMENT, "%s, line %d: %s is there twice", name, number, said);
            all.add(new Host(m.group("host"), m.group("slots") == null ? 1 : Integer.parseInt(m.group("slots"))));
        }
        return new HostFile(all);
    }

    private static boolean isThisHost(String name) {
        String host = name.toLowerCase(Locale.ROOT);
        if (host.equals("localhost") || host.startsWith("127.")) return true;
        try {
            return host.equalsIgnoreCase(InetAddress.getLocalHost().getHostName());
        } catch (UnknownHostException e) {
            return false; // then only localhost is
        }
    }
}
