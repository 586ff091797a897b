package dev.oxbow.net;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;

import dev.oxbow.tensor.OxbowException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Slurm's short forms: {@code node[003-006,010],gpu1} for hosts and {@code 4(x2),3} for the tasks on each. */
final class Nodes {
    private static final Pattern BRACKETS = Pattern.compile("\\[([0-9]+)[-0-9,]*]");
    private static final Pattern TASKS = Pattern.compile("([0-9]{1,9})(?:\\(x([0-9]{1,9})\\))?");

    private Nodes() {}

    /** The first host of a list. */
    static String first(String list) {
        String expanded = BRACKETS.matcher(list).replaceAll("$1");
        int comma = expanded.indexOf(',');
        String host = comma < 0 ? expanded : expanded.substring(0, comma);
        if (host.isEmpty() || host.matches(".*[\\[\\]\\s].*")) {
            throw new OxbowException(INVALID_ARGUMENT, "environment: can not read the list of hosts \"" + list + "\"");
        }
        return host;
    }

    /** Whether a list names one host. */
    static boolean isOne(String list) {
        return list.equals(first(list)) || list.matches("[^,\\[]*\\[[0-9]+][^,\\[]*");
    }

    /** The tasks on the node with this number. */
    static int tasks(String list, int node) {
        int at = 0;
        for (String part : list.split(",")) {
            Matcher m = TASKS.matcher(part);
            if (!m.matches()) {
                throw new OxbowException(
                        INVALID_ARGUMENT, "environment: can not read the tasks per node \"" + list + "\"");
            }
            at += m.group(2) == null ? 1 : Integer.parseInt(m.group(2));
            if (node < at) return Integer.parseInt(m.group(1));
        }
        throw new OxbowException(
                INVALID_ARGUMENT,
                "environment: there is no node %d in the tasks per node \"%s\"".formatted(node, list));
    }
}
