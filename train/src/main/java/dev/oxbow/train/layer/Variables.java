package dev.oxbow.train.layer;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.NOT_FOUND;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Graph;
import dev.oxbow.ops.Ops;
import dev.oxbow.ops.Parameter;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The parameters and states of a model by name, in the order in which they were made; all passes over it share them. */
public final class Variables {
    private final Graph graph;
    private final DType dtype;
    private final long seed;
    private final Map<String, Variable> all = new LinkedHashMap<>();
    private final Map<Object, String> homes = new IdentityHashMap<>();

    private record Variable(Parameter parameter, boolean trained) {}

    public Variables(Graph graph, DType dtype, long seed) {
        this.graph = graph;
        this.dtype = dtype;
        this.seed = seed;
    }

    DType dtype() {
        return dtype;
    }

    /** What training changes. */
    public List<Parameter> trained() {
        return all.values().stream()
                .filter(Variable::trained)
                .map(Variable::parameter)
                .toList();
    }

    /** All of them, states too. */
    public List<Parameter> all() {
        return all.values().stream().map(Variable::parameter).toList();
    }

    Parameter get(String name, Initialiser start, Shape shape, boolean trained) {
        Variable known = all.get(name);
        if (known == null) {
            Parameter p = Parameter.named(name, start.of(Ops.in(graph), dtype, shape, seed(name)));
            all.put(name, known = new Variable(p, trained));
        }
        Shape had = known.parameter().value().shape();
        require(
                had.equals(shape),
                INVALID_ARGUMENT,
                "Build: parameter '%s' is %s and is wanted as %s here; layers that share it need inputs of one shape",
                name,
                had,
                shape);
        return known.parameter();
    }

    Parameter existing(String name) {
        Variable v = all.get(name);
        require(v != null, NOT_FOUND, "Build: there is no state '%s'; make it with state() first", name);
        return v.parameter();
    }

    /** The parameters whose names begin so. */
    List<Parameter> under(String path) {
        List<Parameter> found = new ArrayList<>();
        for (Parameter p : all()) if (p.name().startsWith(path)) found.add(p);
        return found;
    }

    /** Where the parameters of a shared layer are: the place that used it first. */
    String home(Object owner, String here) {
        return homes.computeIfAbsent(owner, _ -> here);
    }

    /** A seed for each name: FNV-1a of the name, mixed with the seed of the model. */
    long seed(String name) {
        long h = 0xcbf29ce484222325L ^ seed;
        for (int i = 0; i < name.length(); i++) h = (h ^ name.charAt(i)) * 0x100000001b3L;
        h ^= h >>> 32;
        return h;
    }
}
