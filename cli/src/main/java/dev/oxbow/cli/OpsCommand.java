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

/** {@code oxbow ops}: prints a table of every op, its dtypes, devices and gradient, as Markdown. */
@Command(
        name = "ops",
        description = "List every op with its dtypes, devices and gradient, as a Markdown table.",
        mixinStandardHelpOptions = true,
        footer = {"", "Examples:", "  oxbow ops", "  oxbow ops > docs/ops.md"})
final class OpsCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        var names = OpRegistry.get().names();
        out.printf(
                "# Ops%n%n%d ops, written by `./oxbow ops`. A gradient is *yes*, *none* (paths end there, as in TensorFlow), *control flow* (handled by `Gradients` itself), or *not written* (an error names the node). Where a device is not named, or lacks a kernel for some dtypes or attributes, the CPU computes there.%n%n",
                names.size());
        out.printf("| op | dtypes | devices | gradient |%n|---|---|---|---|%n");
        for (String name : names) {
            OpDefinition d = OpRegistry.get().definition(name);
            String devices = String.join(" ", Engine.devicesOf(d.type()));
            out.printf("| `%s` | %s | %s | %s |%n", name, dtypes(d.signature()), devices, gradient(d.type()));
        }
        left(out, Set.copyOf(names));
        return 0;
    }

    /** The ops of TensorFlow that are not here, and why. */
    private static void left(PrintWriter out, Set<String> here) {
        List<String> all;
        try (InputStream in = OpsCommand.class.getResourceAsStream("tensorflow-ops.txt")) {
            all = new String(in.readAllBytes(), StandardCharsets.US_ASCII)
                    .lines()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        List<String> missing = all.stream().filter(n -> !here.contains(n)).toList();
        out.printf(
                "%n## Not here%n%nOf the %,d ops of TensorFlow 2.21 %,d are here. A graph that runs one of the others is refused: with UNIMPLEMENTED where a reason is given, else with NOT_FOUND.%n%n| op | why not |%n|---|---|%n",
                all.size(), all.size() - missing.size());
        for (String name : missing) {
            String reason = MissingOps.reason(name);
            out.printf("| `%s` | %s |%n", name, reason == null ? "not written" : reason);
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
        return CoreOp.class.isAssignableFrom(type) && Op.class.isAssignableFrom(type) ? "control flow" : "not written";
    }
}
