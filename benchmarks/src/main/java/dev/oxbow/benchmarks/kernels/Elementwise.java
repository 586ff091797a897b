package dev.oxbow.benchmarks.kernels;

import dev.oxbow.ops.Value;
import java.util.Map;
import org.openjdk.jmh.annotations.Param;

/** Elementwise expressions, fused where they have several ops, on so many floats. */
public class Elementwise extends OneOp {
    @Param({"1024", "65536", "16777216"})
    public long count;

    @Param({"relu(a*b+c)", "a+b", "a+row", "exp", "tanh", "sigmoid", "erf", "gelu"})
    public String expression;

    @Override
    protected Value build() {
        Value a = floats(count / 64, 64);
        return switch (expression) {
            case "relu(a*b+c)" ->
                a.times(floats(count / 64, 64)).plus(floats(count / 64, 64)).relu();
            case "a+b" -> a.plus(floats(count / 64, 64));
            case "a+row" -> a.plus(floats(64));
            case "exp" -> a.exp();
            case "tanh" -> a.tanh();
            case "sigmoid" -> a.sigmoid();
            case "erf" -> op("Erf", Map.of(), a);
            default ->
                a.times(0.5).times(op("Erf", Map.of(), a.times(Math.sqrt(0.5))).plus(1));
        };
    }
}
