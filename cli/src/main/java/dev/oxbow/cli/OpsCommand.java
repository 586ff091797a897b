package dev.oxbow.cli;

import dev.oxbow.graph.Op;
import dev.oxbow.graph.OpDefinition;
import dev.oxbow.graph.OpRegistry;
import dev.oxbow.graph.OpSignature;
import dev.oxbow.graph.core.CoreOp;
import dev.oxbow.graph.wire.MissingOps;
import dev.oxbow.ops.Differentiable;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.runtime.Engine;
import dev.oxbow.tensor.DType;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code oxbow ops}: prints a table of every op of TensorFlow, and of our own, with its dtypes, devices and gradient or why it is not here. */
@Command(
        name = "ops",
        description =
                "List every op with its dtypes, devices and gradient, or why it is not here, as a Markdown table.",
        mixinStandardHelpOptions = true,
        footer = {"", "Examples:", "  oxbow ops", "  oxbow ops > docs/ops.md"})
final class OpsCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        Set<String> here = new TreeSet<>(OpRegistry.get().names()), theirs = new TreeSet<>(tensorFlows());
        long both = theirs.stream().filter(here::contains).count();
        out.printf(
                "# Ops%n%nWritten by `./oxbow ops`: %,d ops, of which %,d are among TensorFlow 2.21's %,d.%n%n"
                        + "A gradient is *yes*, *none* (paths end there, as in TensorFlow), *control flow* (handled by `Gradients` itself), or *error* (TensorFlow registers none either; the error names the node). Where a device is not named, or lacks a kernel for some dtypes or attributes, the CPU computes there.%n%n"
                        + "A graph that runs an op that is not here is refused: with UNIMPLEMENTED where a reason is given, else with NOT_FOUND.%n%n",
                here.size(), both, theirs.size());
        out.printf("| op | here | dtypes | devices | gradient |%n|---|---|---|---|---|%n");
        for (String name : theirs) {
            if (here.contains(name)) {
                row(out, name, "yes | ");
            } else {
                String reason = MissingOps.reason(name);
                out.printf("| `%s` | no: %s | | | |%n", name, reason == null ? "not written" : reason);
            }
        }
        out.printf(
                "%n## Others%n%nOps of our own, of versions of TensorFlow before, and those that only rewrites make.%n%n");
        out.printf("| op | dtypes | devices | gradient |%n|---|---|---|---|%n");
        for (String name : here) if (!theirs.contains(name)) row(out, name, "");
        return 0;
    }

    private static void row(PrintWriter out, String name, String isHere) {
        OpDefinition d = OpRegistry.get().definition(name);
        String devices = String.join(" ", Engine.devicesOf(d.type()));
        out.printf("| `%s` | %s%s | %s | %s |%n", name, isHere, dtypes(d.signature()), devices, gradient(d.type()));
    }

    /** The names of TensorFlow 2.21's ops. */
    private static List<String> tensorFlows() {
        try (InputStream in = OpsCommand.class.getResourceAsStream("tensorflow-ops.txt")) {
            return new String(in.readAllBytes(), StandardCharsets.US_ASCII)
                    .lines()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String dtypes(OpSignature s) {
        var types = new TreeSet<DType>();
        boolean any = false;
        for (OpSignature.Attribute a : s.attributes()) {
            if (!a.kind().equals("type")
                    || a.name().startsWith("Ti")
                    || a.name().equals("Tlen")
                    || a.name().equals("Tshape")) continue;
            if (a.allowedTypes() == null) any = true;
            else types.addAll(a.allowedTypes());
        }
        if (any) return "any";
        if (types.isEmpty()) s.inputs().forEach(i -> types.addAll(i.dtype() == null ? List.of() : List.of(i.dtype())));
        return types.isEmpty() ? "" : types.stream().map(DType::toString).collect(Collectors.joining(" "));
    }

    private static String gradient(Class<?> type) {
        if (Differentiable.class.isAssignableFrom(type)) return "yes";
        if (NotDifferentiable.class.isAssignableFrom(type)) return "none";
        return CoreOp.class.isAssignableFrom(type) && Op.class.isAssignableFrom(type) ? "control flow" : "error";
    }
}
