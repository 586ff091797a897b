package dev.oxbow.cli;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.sun.management.OperatingSystemMXBean;
import dev.oxbow.kernels.KernelLevel;
import dev.oxbow.runtime.DeviceProvider.Finding;
import dev.oxbow.runtime.Engine;
import dev.oxbow.runtime.EngineOptions;
import dev.oxbow.tensor.Memory;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code oxbow doctor}: prints what was found on this machine, what is missing, and how to mend it. */
@Command(
        name = "doctor",
        description = "Show what of this machine is used, what is missing, and what would mend it.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "What is missing is optional: training works without it.",
            "",
            "Examples:",
            "  oxbow doctor",
            "  oxbow doctor --json"
        })
final class DoctorCommand implements Callable<Integer> {
    private static final Path SHARED_MEMORY = Path.of("/dev/shm");
    private static final Path CONGESTION = Path.of("/proc/sys/net/ipv4/tcp_congestion_control");
    private static final Path CONGESTIONS = Path.of("/proc/sys/net/ipv4/tcp_available_congestion_control");
    /** What four ranks want to exchange models of ordinary size. */
    private static final long ENOUGH_SHARED = 64L << 20;

    @Spec
    private CommandSpec spec;

    @Option(names = "--json", description = "Print an array of JSON.")
    private boolean json;

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        List<Finding> all = new ArrayList<>();
        all.add(new Finding("Java", true, Runtime.version() + ", " + System.getProperty("java.vendor")));
        all.addAll(machine());
        all.addAll(flags());
        all.add(new Finding("kernels", true, KernelLevel.describe()));
        all.addAll(List.of(sharedMemory(), ports(), congestion()));
        all.addAll(Engine.findings());
        try (Engine engine = new Engine(EngineOptions.defaults())) {
            engine.devices().forEach(d -> all.add(new Finding("device", true, d.name())));
        }
        if (json) out.println(asJson(all));
        else print(out, all);
        return 0;
    }

    private static void print(PrintWriter out, List<Finding> all) {
        int width = all.stream().mapToInt(f -> f.part().length()).max().orElse(0);
        for (Finding f : all)
            out.printf("%-" + width + "s  %-7s  %s%n", f.part(), f.isThere() ? "found" : "missing", f.text());
    }

    private static JsonArray asJson(List<Finding> all) {
        JsonArray array = new JsonArray();
        for (Finding f : all) {
            JsonObject o = new JsonObject();
            o.addProperty("part", f.part());
            o.addProperty("found", f.isThere());
            o.addProperty("text", f.text());
            array.add(o);
        }
        return array;
    }

    private static List<Finding> machine() {
        Runtime java = Runtime.getRuntime();
        String cores = "%d, a heap of %,d MB at most".formatted(java.availableProcessors(), java.maxMemory() >> 20);
        long total = ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean os
                ? os.getTotalMemorySize()
                : 0;
        return List.of(
                new Finding("processors", true, cores),
                new Finding(
                        "memory", total > 0, total > 0 ? "%,d MB".formatted(total >> 20) : "its size is not known"));
    }

    private static List<Finding> flags() {
        boolean vectors = ModuleLayer.boot().findModule("jdk.incubator.vector").isPresent();
        return List.of(
                new Finding(
                        "Vector API",
                        vectors,
                        vectors ? "jdk.incubator.vector" : "start Java with --add-modules jdk.incubator.vector"),
                new Finding(
                        "native access",
                        Memory.isNative(),
                        Memory.isNative() ? "allowed" : "start Java with --enable-native-access=ALL-UNNAMED"));
    }

    /** Ranks of one host exchange through it. */
    private static Finding sharedMemory() {
        try {
            FileStore store = Files.getFileStore(SHARED_MEMORY);
            boolean enough = store.getUsableSpace() >= ENOUGH_SHARED;
            String text = "%,d of %,d MB are free in %s"
                    .formatted(store.getUsableSpace() >> 20, store.getTotalSpace() >> 20, SHARED_MEMORY);
            return new Finding(
                    "shared memory",
                    enough,
                    enough ? text : text + "; ranks use TCP instead (docker run --shm-size=1g gives more)");
        } catch (IOException e) {
            return new Finding("shared memory", false, SHARED_MEMORY + " is not there; ranks use TCP instead");
        }
    }

    /** Whether a port of loopback can be had. */
    private static Finding ports() {
        try (ServerSocket s = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return new Finding("ports", true, "loopback gives ports, such as " + s.getLocalPort());
        } catch (IOException e) {
            return new Finding(
                    "ports",
                    false,
                    "no port of loopback can be opened (" + e.getMessage() + "); workers need one each");
        }
    }

    private static Finding congestion() {
        try {
            String now = Files.readString(CONGESTION).strip(),
                    all = Files.readString(CONGESTIONS).strip();
            return new Finding("congestion", true, "TCP uses " + now + " of: " + all);
        } catch (IOException e) {
            return new Finding("congestion", false, "the control of TCP is not known here");
        }
    }
}
