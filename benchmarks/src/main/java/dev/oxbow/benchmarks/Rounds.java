package dev.oxbow.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** How often a run goes through its systems, and the other build that may be one of them. */
final class Rounds {
    private static final int PLAIN = 5;
    private static final int PAIRED = 9;
    private static final int MOST = 21;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            description = "Rounds: 5, or with --build 9, and up to 21 while quartiles are more than 4 %% apart.")
    private Integer wished;

    @Option(
            names = "--build",
            paramLabel = "DIR",
            description = "Another checkout of Oxbow, which is built and takes part next to this one. Shown are the"
                    + " median and the quartiles of our figure over its, round by round, above 1 where ours is better."
                    + " A row is slower when the median is below 0.97 and the upper quartile below 1; the exit status is"
                    + " 1 when one is, or when there is nothing to compare.")
    private Path checkout;

    private final List<Build> builds = new ArrayList<>(List.of(Build.own()));
    private final Map<String, Optional<Pairs>> rows = new LinkedHashMap<>();

    /** Fails when an option is wrong. */
    void check() {
        if (wished != null) Main.checkPositive(spec, "--rounds", wished);
        if (checkout != null && !Build.isCheckout(checkout))
            throw new ParameterException(spec.commandLine(), "--build: " + checkout + " is no checkout of Oxbow");
    }

    /** Makes the other build. */
    void prepare() throws IOException, InterruptedException {
        if (checkout == null) return;
        Files.createDirectories(Build.own().work());
        builds.add(Build.make(checkout));
    }

    /** This build, and after it the other if there is one. */
    List<Build> builds() {
        return builds;
    }

    /** The name of the other build. */
    Optional<String> other() {
        return checkout == null
                ? Optional.empty()
                : Optional.of(builds.getLast().name());
    }

    /** Whether another round follows after so many. */
    boolean goOn(int done, Stream<Optional<Pairs>> pairs) {
        return goOn(
                done, wished, checkout != null, pairs.flatMap(Optional::stream).toList());
    }

    static boolean goOn(int done, Integer wished, boolean isPaired, List<Pairs> pairs) {
        if (wished != null) return done < wished;
        if (!isPaired) return done < PLAIN;
        return done < PAIRED || done < MOST && pairs.stream().anyMatch(Pairs::isWide);
    }

    /** All in the order of a round: back and forth, so that of two neighbours neither is always the first. */
    static <T> List<T> inTurn(int round, List<T> all) {
        return List.copyOf(round % 2 == 0 ? all.reversed() : all);
    }

    /** Takes note of a row that both builds were to have; empty when one of them failed. */
    void compared(String row, Optional<Pairs> pairs) {
        if (checkout != null) rows.put(row, pairs);
    }

    /** Prints what the rows come to; whether this build may pass. */
    boolean conclude() {
        other().ifPresent(name -> System.out.println(summary(name, rows)));
        return checkout == null || passes(rows);
    }

    static boolean passes(Map<String, Optional<Pairs>> rows) {
        List<Pairs> all = rows.values().stream().flatMap(Optional::stream).toList();
        return !all.isEmpty() && all.stream().noneMatch(Pairs::isSlower);
    }

    static String summary(String other, Map<String, Optional<Pairs>> rows) {
        List<String> slower = new ArrayList<>(), missing = new ArrayList<>();
        rows.forEach((row, pairs) -> {
            if (pairs.isEmpty()) missing.add(row);
            else if (pairs.get().isSlower()) slower.add(row);
        });
        String line = "oxbow beside %s: %d of %d rows slower".formatted(other, slower.size(), rows.size());
        if (!slower.isEmpty()) line += ": " + String.join(", ", slower);
        if (!missing.isEmpty()) line += "; not compared: " + String.join(", ", missing);
        return line;
    }
}
