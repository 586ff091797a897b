package dev.oxbow.cli;

import dev.oxbow.kernels.KernelLevel;
import dev.oxbow.runtime.DeviceProvider.Finding;
import dev.oxbow.runtime.Engine;
import dev.oxbow.runtime.EngineOptions;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code oxbow doctor}: prints what was found on this machine and what is missing, as one table. */
@Command(
        name = "doctor",
        description = "Show what of this machine is used, and what is missing.",
        mixinStandardHelpOptions = true,
        footer = {"", "What is missing is optional: training works without it.", "", "Examples:", "  oxbow doctor"})
final class DoctorCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        List<Finding> all = new ArrayList<>();
        Runtime java = Runtime.getRuntime();
        all.add(new Finding("Java", true, Runtime.version() + ", " + System.getProperty("java.vendor")));
        all.add(new Finding(
                "processors",
                true,
                "%d, a heap of %,d MB at most".formatted(java.availableProcessors(), java.maxMemory() >> 20)));
        all.add(new Finding("kernels", true, KernelLevel.describe()));
        all.addAll(Engine.findings());
        try (Engine engine = new Engine(EngineOptions.defaults())) {
            engine.devices().forEach(d -> all.add(new Finding("device", true, d.name())));
        }
        int width = all.stream().mapToInt(f -> f.part().length()).max().orElse(0);
        for (Finding f : all)
            out.printf("%-" + width + "s  %-7s  %s%n", f.part(), f.isThere() ? "found" : "missing", f.text());
        return 0;
    }
}
