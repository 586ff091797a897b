package dev.oxbow.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code bench kernels [PATTERN]}: JMH micro-benchmarks of single ops. */
@Command(
        name = "kernels",
        description = {
            "Times single ops with JMH: Gemm, BatchedGemm, Convolution, Elementwise, Softmax, Reductions, Transposes,",
            "GatherScatter, Pooling; microseconds per run, the few of a run call included."
        },
        footer = {
            "",
            "Examples:",
            "  ./oxbow bench kernels Gemm",
            "  ./oxbow bench kernels Gemm -p size=2048x2048x2048 -p form=nn,nt -p threads=1,2",
            "  ./oxbow bench kernels Elementwise -p expression=tanh,exp"
        })
final class KernelBench implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(arity = "0..1", defaultValue = "", paramLabel = "PATTERN", description = "Part of a name, or a regex.")
    private String pattern;

    @Option(names = "-p", paramLabel = "NAME=VALUES", description = "Values of a parameter, with commas between them.")
    private List<String> parameters = new ArrayList<>();

    @Option(names = "--seconds", defaultValue = "1", paramLabel = "S", description = "Seconds of an iteration.")
    private double seconds;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this.")
    private boolean help;

    @Override
    public Integer call() throws Exception {
        TimeValue time = TimeValue.milliseconds(Math.max(1, Math.round(1000 * seconds)));
        ChainedOptionsBuilder options = new OptionsBuilder()
                .include("dev\\.oxbow\\.benchmarks\\.kernels\\.\\w*" + pattern)
                .warmupTime(time)
                .measurementTime(time);
        for (String p : parameters) {
            String[] sides = p.split("=", 2);
            if (sides.length < 2)
                throw new ParameterException(spec.commandLine(), "-p is NAME=VALUES, such as threads=1,2, not " + p);
            options.param(sides[0], sides[1].split(","));
        }
        List<String> java = Build.own().java();
        options.jvm(java.get(0)).jvmArgs(java.subList(1, java.indexOf("-cp")).toArray(String[]::new));
        new Runner(options.build()).run();
        return 0;
    }
}
