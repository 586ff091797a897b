package dev.oxbow.benchmarks;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A system running in a process of its own; see {@link Child} for what is said. Every question has a deadline. */
final class ChildProcess implements AutoCloseable {

    /** A system that died, kept silent or said that something failed. */
    static final class Failure extends Exception {
        private static final long serialVersionUID = 1;

        Failure(String message) {
            super(message);
        }
    }

    /** The system has no such workload. */
    static final class Absent extends Exception {
        private static final long serialVersionUID = 1;

        Absent(String message) {
            super(message);
        }
    }

    private static final String END = "";

    private final Process process;
    private final Writer to;
    private final BlockingQueue<String> replies = new LinkedBlockingQueue<>();
    private final Path log;
    private final long startedNanos;

    private ChildProcess(String name, Process process, Path log, long startedNanos) {
        this.process = process;
        this.log = log;
        this.startedNanos = startedNanos;
        to = process.outputWriter(StandardCharsets.UTF_8);
        Thread.ofVirtual().name("replies of " + name).start(this::listen);
    }

    static ChildProcess start(String name, List<String> command, Map<String, String> environment, Path log)
            throws IOException {
        ProcessBuilder b = new ProcessBuilder(command);
        b.environment().putAll(environment);
        b.redirectError(ProcessBuilder.Redirect.appendTo(new File(log.toString())));
        long now = System.nanoTime();
        return new ChildProcess(name, b.start(), log, now);
    }

    private void listen() {
        try (BufferedReader in =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine())
                if (line.startsWith(Child.MARK)) replies.add(line.substring(Child.MARK.length()));
        } catch (IOException e) {
            replies.add("error the connection broke: " + e.getMessage());
        }
        replies.add(END);
    }

    /** Asks and returns the words of the answer after the first; the process is killed when it keeps silent. */
    String[] ask(double seconds, String question) throws Failure, Absent {
        try {
            to.write(question + "\n");
            to.flush();
        } catch (IOException e) {
            throw new Failure("died, see " + log);
        }
        String reply;
        try {
            reply = replies.poll((long) (seconds * 1e3), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Failure("was interrupted");
        }
        if (reply == null) {
            process.destroyForcibly();
            throw new Failure("no answer to '%s' within %.0f s".formatted(question, seconds));
        }
        if (reply.equals(END)) throw new Failure("died, see " + log);
        String[] words = reply.split(" ", 2);
        String rest = words.length > 1 ? words[1] : "";
        if (words[0].equals("error")) throw new Failure(rest);
        if (words[0].equals("none")) throw new Absent(rest);
        return rest.split(" ");
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** When its process was started, on the clock of {@link System#nanoTime}. */
    long startedNanos() {
        return startedNanos;
    }

    /** Asks it to end, and ends it when it does not. */
    @Override
    public void close() {
        try {
            to.write("quit\n");
            to.close();
            if (!process.waitFor(5, TimeUnit.SECONDS)) process.destroyForcibly().waitFor();
        } catch (IOException e) {
            process.destroyForcibly();
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
