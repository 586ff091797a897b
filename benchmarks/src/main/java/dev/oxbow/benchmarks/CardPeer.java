package dev.oxbow.benchmarks;

import com.google.gson.Gson;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A workload in PyTorch on the same card, in a process of its own, timed when it is its turn. */
final class CardPeer implements AutoCloseable {
    private static final int READY_SECONDS = 600;
    private static final int ROUND_SECONDS = 120;

    private final String row;
    private final Process process;
    private final BufferedReader from;
    private final PrintWriter to;
    private final ExecutorService reader =
            Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().factory());
    private final Map<String, List<Double>> rates = new LinkedHashMap<>();
    private final JsonObject known;

    /** Starts it, with all ways whose name matches, and waits until it is ready. */
    CardPeer(String python, String row, String ways) throws IOException {
        this.row = row;
        String script = Python.scripts().resolve("gpu/rounds.py").toString();
        this.process = new ProcessBuilder(python, script, row, ways)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        this.from = process.inputReader();
        this.to = new PrintWriter(process.outputWriter(), true);
        try {
            this.known = answer(READY_SECONDS);
        } catch (IOException e) {
            close();
            throw e;
        }
    }

    private JsonObject answer(int seconds) throws IOException {
        try {
            String line = reader.submit(from::readLine).get(seconds, TimeUnit.SECONDS);
            if (line == null) throw new IOException("PyTorch ended before it had timed " + row);
            return new Gson().fromJson(line, JsonObject.class);
        } catch (TimeoutException e) {
            throw new IOException("PyTorch says nothing of %s for %d s".formatted(row, seconds), e);
        } catch (ExecutionException e) {
            throw new IOException("PyTorch can not be read: " + e.getCause(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("waiting for PyTorch was interrupted", e);
        }
    }

    /** Losses of its first steps, of any way: ways differ by rounding only. Null where the workload has none. */
    double[] losses() {
        for (String way : known.keySet()) {
            JsonElement losses = known.getAsJsonObject(way).get("losses");
            if (losses.isJsonArray())
                return losses.getAsJsonArray().asList().stream()
                        .mapToDouble(JsonElement::getAsDouble)
                        .toArray();
        }
        return null;
    }

    /** Has it take its turn for about so many seconds. */
    void round(double seconds) throws IOException {
        to.println(seconds);
        answer(ROUND_SECONDS)
                .entrySet()
                .forEach(e -> rates.computeIfAbsent(e.getKey(), _ -> new ArrayList<>())
                        .add(e.getValue().getAsDouble()));
    }

    /** The way that was fastest by its median, with so many units of work a call. */
    GpuRow.Other best(double units) {
        String way = rates.keySet().stream()
                .max((a, b) -> Double.compare(median(a), median(b)))
                .orElseThrow();
        JsonObject facts = known.getAsJsonObject(way);
        return new GpuRow.Other(
                way,
                units * median(way),
                facts.get("first_s").getAsDouble(),
                facts.get("peak_mib").getAsDouble());
    }

    private double median(String way) {
        double[] all = rates.get(way).stream().mapToDouble(d -> d).toArray();
        Arrays.sort(all);
        return all[all.length / 2];
    }

    @Override
    public void close() {
        to.close();
        reader.shutdownNow();
        try {
            if (!process.waitFor(10, TimeUnit.SECONDS)) process.destroyForcibly();
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
