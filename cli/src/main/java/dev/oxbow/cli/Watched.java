package dev.oxbow.cli;

import dev.oxbow.collective.Communicator;
import dev.oxbow.observe.Observer;
import dev.oxbow.observe.dashboard.Dashboard;
import dev.oxbow.observe.diagnosis.Diagnosis;
import dev.oxbow.observe.run.Run;
import dev.oxbow.observe.run.Runs;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Map;

/**
 * A training that can be looked at.
 *
 * @param folder of its run
 * @param traces after how many steps one is traced
 */
record Watched(Path folder, int traces) {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("MMdd-HHmmss");

    /** A folder with a name of its own. */
    static Path newFolder(String example) {
        String name =
                example.replaceAll("[^\\w.-]", "_") + "-" + LocalDateTime.now().format(TIME);
        return Path.of("runs", name);
    }

    Observer observer(Map<String, Object> settings, Communicator job) {
        return Observer.of(folder, new Observer.Options(settings, traces, 0), job);
    }

    /** Of a worker that trains by itself. */
    Observer observer(Map<String, Object> settings, int worker) {
        Path own = worker == 0 ? folder : folder.resolve("worker-" + worker);
        return Observer.of(own, new Observer.Options(settings, traces, 0), null);
    }

    /** Shows the run, beside those that lie near it. */
    Dashboard dashboard(PrintWriter out, int port) {
        Path parent = folder.toAbsolutePath().getParent();
        Dashboard d = Dashboard.start(new Dashboard.Config(List.of(parent == null ? folder : parent), port));
        out.println("dashboard: " + d.urlWithToken());
        out.flush();
        return d;
    }

    /** What held the run up, in words. */
    void explain(PrintWriter out) {
        try (Runs runs = Runs.read(List.of(folder))) {
            for (Run r : runs.all()) Diagnosis.of(r).sentences().forEach(out::println);
        } catch (IOException e) {
            out.println("what held the run up is not known: " + e.getMessage());
        }
        out.println("oxbow dashboard " + folder + " shows the run, oxbow report " + folder + " writes it down");
    }
}
