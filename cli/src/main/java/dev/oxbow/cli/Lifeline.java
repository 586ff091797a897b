package dev.oxbow.cli;

import dev.oxbow.net.launch.LocalJob;
import dev.oxbow.net.launch.Notices;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Optional;

/**
 * Ends a process that a {@link LocalJob} started when its launcher is gone, however that ended: the launcher holds the
 * other end of standard input and never writes, so that the system itself closes it.
 */
final class Lifeline {
    /** The variable that names the launcher's process, or says that it is behind standard input on another host. */
    static final String VARIABLE = LocalJob.LAUNCHER, BY_INPUT = "input";

    private static final int STATUS = 143; // as after SIGTERM
    private static final Duration PATIENCE = Duration.ofSeconds(3);

    private Lifeline() {}

    /** Holds on to the launcher, if this process has one. */
    static void hold() {
        String launcher = System.getenv(VARIABLE);
        if (launcher == null || !launcher.equals(BY_INPUT) && !isChildOf(launcher)) return;
        Thread.ofPlatform().daemon().name("lifeline").start(() -> waitForEnd(System.in));
    }

    /** Whether this process was started by another one, which may be gone. */
    private static boolean isChildOf(String launcher) {
        if (!launcher.matches("[0-9]{1,18}")) return false;
        long pid = Long.parseLong(launcher);
        boolean child = ProcessHandle.current().parent().map(ProcessHandle::pid).equals(Optional.of(pid));
        // a process further down inherits the variable, but its standard input is its own
        return child || ProcessHandle.of(pid).isEmpty();
    }

    private static void waitForEnd(InputStream in) {
        try {
            for (int b = in.read(); b >= 0; ) b = in.read();
        } catch (IOException e) {
            System.err.println("oxbow: the launcher can not be watched any more: " + e.getMessage());
        }
        end();
    }

    /** Does what is left of the launcher's work, and runs shutdown hooks, but not for ever. */
    private static void end() {
        Notices.toLauncher(System.getenv()).clear();
        Thread.ofPlatform().daemon().start(() -> System.exit(STATUS));
        try {
            Thread.sleep(PATIENCE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        Runtime.getRuntime().halt(STATUS);
    }
}
