package dev.oxbow.train.export;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Evaluation;
import dev.oxbow.ops.array.Transpose;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import dev.oxbow.wire.Npy;
import dev.oxbow.wire.SafeTensors;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;

/**
 * Values by name that other software has written, renamed and turned until they fit a model: {@code
 * trainer.load(Weights.safetensors(file).renamed("layers\\.(\\d+)\\.weight", "dense$1/kernel").transposed(".*kernel").values())}.
 * Whoever has it closes it.
 */
public final class Weights implements AutoCloseable {
    private final Map<String, Tensor> values;

    private Weights(Map<String, Tensor> values) {
        this.values = values;
    }

    public static Weights safetensors(Path file) {
        Map<String, Tensor> all = new LinkedHashMap<>();
        try (SafeTensors from = SafeTensors.open(file)) {
            for (String name : from.names()) all.put(name, from.read(name));
        }
        return new Weights(all);
    }

    public static Weights npz(Path file) {
        return new Weights(Npy.readNpz(file));
    }

    /** With other names: what a name that matches as a whole becomes, with {@code $1} for its groups; the others stay. */
    public Weights renamed(String regex, String replacement) {
        Pattern p = Pattern.compile(regex);
        return renamed(name -> p.matcher(name).matches() ? p.matcher(name).replaceFirst(replacement) : name);
    }

    /** With other names; two values can not have the same one. */
    public Weights renamed(UnaryOperator<String> names) {
        Map<String, Tensor> all = new LinkedHashMap<>();
        values.forEach((name, t) -> {
            String to = names.apply(name);
            require(all.put(to, t) == null, INVALID_ARGUMENT, "Weights: '%s' is the new name of two values", to);
        });
        return new Weights(all);
    }

    /**
     * With the axes of values whose names match as a whole in another order; without one in the reverse order, which is
     * what matrices of PyTorch want.
     */
    public Weights transposed(String regex, int... order) {
        Map<String, Tensor> all = new LinkedHashMap<>(values);
        for (Map.Entry<String, Tensor> e : all.entrySet())
            if (e.getKey().matches(regex)) e.setValue(turned(e.getKey(), e.getValue(), order));
        return new Weights(all);
    }

    private static Tensor turned(String name, Tensor t, int[] order) {
        int[] axes = order.length > 0 ? order : new int[t.shape().rank()];
        for (int i = 0; i < axes.length && order.length == 0; i++) axes[i] = axes.length - 1 - i;
        try (t;
                Tensor permutation = Tensor.of(Shape.of(axes.length), axes)) {
            return Evaluation.run(new Transpose(), name, List.of(t, permutation))
                    .getFirst();
        }
    }

    /** All values by name, which are closed with this. */
    public Map<String, Tensor> values() {
        return Map.copyOf(values);
    }

    @Override
    public void close() {
        values.values().forEach(Tensor::close);
    }
}
