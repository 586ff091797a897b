package dev.oxbow.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** A system of the JVM that reads files in a process of its own; {@code prepare ROW} and {@code run ROW SECONDS} are answered by a line. */
final class InputChild {
    private InputChild() {}

    static void serve(String system, int threads, Path folder) throws IOException {
        PrintStream out = System.out;
        System.setOut(System.err);
        InputTask task = null;
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null && !line.equals("quit"); line = in.readLine()) {
            String[] words = line.split(" ");
            String text;
            try {
                if (words[0].equals("prepare")) {
                    if (task != null) task.close();
                    task = task(system, words[1], threads, folder);
                    StringBuilder numbers = new StringBuilder("ready");
                    for (double d : task.check()) numbers.append(' ').append(d);
                    text = numbers.toString();
                } else {
                    long start = System.nanoTime(), until = start + (long) (Double.parseDouble(words[2]) * 1e9);
                    long count = task.run(until);
                    text = "rate " + count / ((System.nanoTime() - start) / 1e9);
                }
            } catch (UnsupportedOperationException e) {
                text = "none " + e.getMessage();
            } catch (Exception | LinkageError e) {
                e.printStackTrace();
                text = "error " + e.toString().replaceAll("\\s+", " ");
            }
            out.print(Child.MARK + text + "\n");
            out.flush();
        }
        if (task != null) task.close();
    }

    private static InputTask task(String system, String row, int threads, Path folder) throws IOException {
        return switch (system) {
            case "jvm" -> new JvmInput(row, folder, threads);
            case "djl" -> new DjlInput(row, folder, threads);
            case "tfjava" -> new TensorFlowInput(row, folder, threads);
            default -> OxbowInput.of(row, system, folder, threads);
        };
    }
}
