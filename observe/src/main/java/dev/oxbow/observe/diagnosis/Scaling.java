package dev.oxbow.observe.diagnosis;

import dev.oxbow.observe.run.Run;
import dev.oxbow.observe.run.WorkerLog;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Examples a second by the number of workers: of runs as measured, as the planner expects them, and as they would be if exchanges
 * took no time.
 */
public record Scaling(List<Point> measured, List<Point> planned, List<Point> ideal) {
    /** One number of workers; {@code run} is empty where it is no run. */
    public record Point(String run, long workers, double rate) {}

    /** Of a run and of others beside it; null where it does not count its examples. */
    public static Scaling of(Run run, List<Run> others) throws IOException {
        List<Point> measured = new ArrayList<>(), planned = new ArrayList<>(), ideal = new ArrayList<>();
        List<Run> all = new ArrayList<>(List.of(run));
        all.addAll(others);
        for (Run r : all) {
            double rate = 0;
            for (WorkerLog w : r.workers()) rate += w.examplesPerSecond();
            if (rate > 0) measured.add(new Point(r.name(), r.workers().size(), rate));
        }
        if (measured.isEmpty() || !measured.getFirst().run.equals(run.name())) return null;
        Planned p = Planned.of(run);
        double rows = run.first().examplesPerStep();
        long most = measured.stream().mapToLong(Point::workers).max().orElse(1);
        for (long n = 1; n <= Math.max(8, 2 * most) && p.isKnown() && rows > 0; n *= 2) {
            planned.add(new Point("", n, n * rows / p.step(n) * 1e3));
            ideal.add(new Point("", n, n * rows / p.compute() * 1e3));
        }
        return new Scaling(measured, planned, ideal);
    }
}
