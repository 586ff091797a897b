package dev.oxbow.graph;

import static dev.oxbow.tensor.ErrorCode.ALREADY_EXISTS;
import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.NOT_FOUND;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.wire.proto.FunctionDef;
import dev.oxbow.wire.proto.OpDef;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** The functions of a graph by name: made here, or imported and instantiated when first used. Thread-safe. */
public final class FunctionLibrary {
    private final Map<String, FunctionDef> definitions = new LinkedHashMap<>();
    private final Map<String, Function> made = new LinkedHashMap<>();
    private final Map<FunctionRef, Function> instances = new HashMap<>();
    private final Set<FunctionRef> inProgress = new HashSet<>();
    private final Map<String, String> gradients = new LinkedHashMap<>();

    public synchronized boolean has(String name) {
        return definitions.containsKey(name) || made.containsKey(name);
    }

    /** Adds a function that was built here. */
    public synchronized void add(Function f) {
        require(!has(f.name()), ALREADY_EXISTS, "Function: the name '%s' is taken", f.name());
        made.put(f.name(), f);
    }

    /** Adds an imported definition; adding an equal one again is harmless. */
    public synchronized void add(FunctionDef f) {
        String name = f.getSignature().getName();
        FunctionDef old = definitions.putIfAbsent(name, f);
        require(
                !made.containsKey(name) && (old == null || old.equals(f)),
                INVALID_ARGUMENT,
                "Function: '%s' is defined twice, differently",
                name);
    }

    /** Says that {@code gradient} computes the gradient of {@code function}. */
    public synchronized void addGradient(String function, String gradient) {
        gradients.put(function, gradient);
    }

    /** The function that computes the gradient of {@code function}; null when none was given. */
    public synchronized String gradient(String function) {
        return gradients.get(function);
    }

    public synchronized Map<String, String> gradients() {
        return Map.copyOf(gradients);
    }

    /** A name that no function has. */
    public synchronized String unique(String name) {
        if (!has(name)) return name;
        int i = 1;
        while (has(name + "_" + i)) i++;
        return name + "_" + i;
    }

    /** The function with its type attributes set; null while that very function is being read, so recursion ends. */
    public synchronized Function get(FunctionRef ref) {
        Function f = made.get(ref.name());
        if (f != null) return f;
        f = instances.get(ref);
        if (f != null) return f;
        FunctionDef d = definitions.get(ref.name());
        require(d != null, NOT_FOUND, "Function: there is no function '%s'", ref.name());
        if (!inProgress.add(ref)) return null;
        try {
            f = new FunctionImporter(this, d, ref).read();
            instances.put(ref, f);
            return f;
        } finally {
            inProgress.remove(ref);
        }
    }

    /** The signature of an imported function; null when it was built here or is unknown. */
    public synchronized OpDef signature(String name) {
        FunctionDef d = definitions.get(name);
        return d == null ? null : d.getSignature();
    }

    /** Every imported definition. */
    public synchronized Map<String, FunctionDef> definitions() {
        return new LinkedHashMap<>(definitions);
    }

    /** Every function built here. */
    public synchronized Map<String, Function> made() {
        return new LinkedHashMap<>(made);
    }
}
