package dev.oxbow.graph;

import static dev.oxbow.tensor.ErrorCode.ALREADY_EXISTS;
import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.NOT_FOUND;
import static dev.oxbow.tensor.ErrorCode.RESOURCE_EXHAUSTED;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.tensor.OxbowException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** The functions of a graph by name: made here, or imported and instantiated when first used. Thread-safe. */
public final class FunctionLibrary {
    private final Map<String, FunctionDefinition> definitions = new LinkedHashMap<>();
    private final Map<String, Function> made = new LinkedHashMap<>();
    private final Map<FunctionRef, Function> instances = new HashMap<>();
    private final Map<FunctionRef, OxbowException> failures = new HashMap<>();
    private final Set<FunctionRef> inProgress = new HashSet<>();
    private final Map<String, String> gradients = new LinkedHashMap<>();
    private final Budget budget;

    public FunctionLibrary() {
        this(Limits.defaults());
    }

    /** A library for a graph that may ask for no more than {@code limits}. */
    public FunctionLibrary(Limits limits) {
        budget = new Budget(limits);
    }

    /** What the graphs over this library may ask for. */
    public Limits limits() {
        return budget.limits();
    }

    /** Counts a constant from outside against the limits, before memory is taken for it; some bytes only repeat a value. */
    public void countConstant(long bytes, long repeated) {
        budget.constant(bytes, repeated);
    }

    public synchronized boolean isEmpty() {
        return definitions.isEmpty() && made.isEmpty();
    }

    public synchronized boolean has(String name) {
        return definitions.containsKey(name) || made.containsKey(name);
    }

    /** Adds a function that was built here. */
    public synchronized void add(Function f) {
        require(!has(f.name()), ALREADY_EXISTS, "Function: the name '%s' is taken", f.name());
        made.put(f.name(), f);
    }

    /** Adds the definition of a function that is made when it is first used; adding an equal one again is harmless. */
    public synchronized void add(FunctionDefinition f) {
        String name = f.name();
        FunctionDefinition old = definitions.putIfAbsent(name, f);
        failures.clear(); // what failed for want of this function may be read now
        require(
                !made.containsKey(name) && (old == null || old.equals(f)),
                INVALID_ARGUMENT,
                "Function: '%s' is defined twice, differently",
                name);
    }

    /** Forgets imported definitions but these. */
    synchronized void retainDefinitions(Set<String> names) {
        definitions.keySet().retainAll(names);
        instances.keySet().removeIf(f -> !names.contains(f.name()));
        failures.keySet().removeIf(f -> !names.contains(f.name()));
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
        require(definitions.containsKey(ref.name()), NOT_FOUND, "Function: there is no function '%s'", ref.name());
        if (inProgress.contains(ref)) return null;
        if (isOpen(ref)) read(ref);
        if (failures.containsKey(ref)) throw failures.get(ref);
        return instances.get(ref);
    }

    /** Reads a function after those that it calls: functions may be nested deeper than the stack. */
    private void read(FunctionRef first) {
        Deque<Reading> path = new ArrayDeque<>();
        FunctionRef at = first;
        try {
            for (enter(path, first); !path.isEmpty(); ) {
                Reading top = path.peek();
                if (top.calls().hasNext()) {
                    at = top.calls().next();
                    if (isOpen(at)) enter(path, at);
                    continue;
                }
                try {
                    instances.put(top.ref(), top.instance().read());
                } catch (OxbowException e) {
                    if (e.code() == RESOURCE_EXHAUSTED) throw e;
                    failures.put(top.ref(), e);
                }
                inProgress.remove(path.pop().ref());
            }
        } catch (OxbowException e) {
            throw at.located(e);
        } finally {
            path.forEach(r -> inProgress.remove(r.ref()));
        }
    }

    private record Reading(FunctionRef ref, FunctionDefinition.Instance instance, Iterator<FunctionRef> calls) {}

    private boolean isOpen(FunctionRef ref) {
        return definitions.containsKey(ref.name())
                && !instances.containsKey(ref)
                && !failures.containsKey(ref)
                && !inProgress.contains(ref);
    }

    private void enter(Deque<Reading> path, FunctionRef ref) {
        require(
                inProgress.size() < limits().callDepth(),
                RESOURCE_EXHAUSTED,
                "functions call each other at most %,d deep, got %,d",
                limits().callDepth(),
                inProgress.size() + 1);
        FunctionDefinition d = definitions.get(ref.name());
        budget.read(d.size());
        FunctionDefinition.Instance instance;
        try {
            instance = d.instance(this, ref);
        } catch (OxbowException e) {
            failures.put(ref, e);
            return;
        }
        inProgress.add(ref);
        path.push(new Reading(ref, instance, instance.calls().iterator()));
    }

    /** The wire interface of a function, for calls by name. */
    public synchronized OpSignature signature(String name) {
        FunctionDefinition d = definitions.get(name);
        if (d != null) return d.signature(this);
        require(made.containsKey(name), NOT_FOUND, "there is no op or function '%s'", name);
        return made.get(name).signature();
    }

    /** Every imported definition. */
    public synchronized Map<String, FunctionDefinition> definitions() {
        return new LinkedHashMap<>(definitions);
    }

    /** Every function built here. */
    public synchronized Map<String, Function> made() {
        return new LinkedHashMap<>(made);
    }
}
