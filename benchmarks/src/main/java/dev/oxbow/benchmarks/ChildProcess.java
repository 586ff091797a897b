package dev.oxbow.benchmarks;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
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
    private static final int QUIT_SECONDS = 5, KILLED_SECONDS = 10;

    private final String name;
    private final Process process;
    private final Writer to;
    private final BlockingQueue<String> replies = new LinkedBlockingQueue<>();
    private final Path log;
    private final long startedNanos;

    private ChildProcess(String name, Process process, Path log, long startedNanos) {
        this.name = name;
        this.process = process;
        this.log = log;
        this.startedNanos = startedNanos;
        to = process.outputWriter(StandardCharsets.UTF_8);
        // not a virtual one: it keeps a carrier while it reads a pipe, and as many as there are cores keep all others
        // from running
        Thread.ofPlatform().daemon().name("replies of " + name).start(this::listen);
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
        say(question);
        return answer(System.nanoTime(), seconds, question);
    }

    /** Asks all at once; the answers in their order. All have one deadline, and who keeps silent is killed and named. */
    static List<String[]> askAll(List<ChildProcess> all, double seconds, String question) throws Failure, Absent {
        long from = System.nanoTime();
        for (ChildProcess p : all) p.say(question);
        List<String[]> answers = new ArrayList<>();
        Exception first = null;
        for (ChildProcess p : all)
            try {
                answers.add(p.answer(from, seconds, question));
            } catch (Failure | Absent e) {
                if (first == null) first = e;
            }
        if (first instanceof Failure f) throw f;
        if (first instanceof Absent a) throw a;
        return answers;
    }

    private void say(String question) throws Failure {
        try {
            to.write(question + "\n");
            to.flush();
        } catch (IOException e) {
            throw new Failure(died());
        }
    }

    private String[] answer(long from, double seconds, String question) throws Failure, Absent {
        String reply;
        try {
            long left = (long) (seconds * 1e9) - (System.nanoTime() - from);
            reply = replies.poll(Math.max(left, 0), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Failure(name + ": interrupted while waiting for its answer");
        }
        if (reply == null) {
            process.destroyForcibly();
            throw new Failure("%s: no answer to '%s' within %.0f s".formatted(name, question, seconds));
        }
        if (reply.equals(END)) throw new Failure(died());
        String[] words = reply.split(" ", 2);
        String rest = words.length > 1 ? words[1] : "";
        if (words[0].equals("error")) throw new Failure(name + ": " + rest);
        if (words[0].equals("none")) throw new Absent(rest);
        return rest.split(" ");
    }

    private String died() {
        return name + " died, see " + log;
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
        closeAll(List.of(this));
    }

    /** Asks all to end at once, and ends those that do not. */
    static void closeAll(List<ChildProcess> all) {
        for (ChildProcess p : all)
            try {
                p.to.write("quit\n");
                p.to.close();
            } catch (IOException e) {
                p.process.destroyForcibly();
            }
        long from = System.nanoTime();
        for (ChildProcess p : all)
            try {
                long left = TimeUnit.SECONDS.toNanos(QUIT_SECONDS) - (System.nanoTime() - from);
                if (!p.process.waitFor(Math.max(left, 0), TimeUnit.NANOSECONDS)
                        && !p.process.destroyForcibly().waitFor(KILLED_SECONDS, TimeUnit.SECONDS))
                    System.err.println("left behind: " + p.name + ", process " + p.process.pid());
            } catch (InterruptedException e) {
                for (ChildProcess other : all) other.process.destroyForcibly();
                Thread.currentThread().interrupt();
            }
    }
}
