package dev.oxbow.graph;

import static dev.oxbow.tensor.ErrorCode.INTERNAL;

import dev.oxbow.tensor.OxbowException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;

/** Every op by wire name; a class is loaded when its op is first used. */
public final class OpRegistry {
    private static final class Holder {
        static final OpRegistry INSTANCE = new OpRegistry();
    }

    private record Entry(OpProvider provider, String className) {}

    private final List<OpProvider> providers = new ArrayList<>();
    private final Map<String, Entry> entries = new HashMap<>();

    private OpRegistry() {
        ServiceLoader.load(OpProvider.class, OpRegistry.class.getClassLoader()).forEach(providers::add);
        for (OpProvider p : providers) {
            for (String line : p.ops()) {
                int equals = line.indexOf('=');
                String wire = equals < 0 ? line : line.substring(0, equals);
                String type = equals < 0 ? line : line.substring(equals + 1);
                Entry old = entries.put(wire, new Entry(p, p.getClass().getPackageName() + "." + type));
                if (old != null)
                    throw new OxbowException(
                            INTERNAL, "op %s is provided by %s and by %s".formatted(wire, old.provider, p));
            }
        }
    }

    public static OpRegistry get() {
        return Holder.INSTANCE;
    }

    public boolean has(String wireName) {
        return entries.containsKey(wireName);
    }

    /** Everyone who offers ops, in the order found. */
    public List<OpProvider> providers() {
        return List.copyOf(providers);
    }

    /** The stages of compilation that they offer, in that order. */
    public List<Rewrite> rewrites() {
        List<Rewrite> all = new ArrayList<>();
        for (OpProvider p : providers) all.addAll(p.rewrites());
        return all;
    }

    /** All wire names, sorted. */
    public Set<String> names() {
        return new TreeSet<>(entries.keySet());
    }

    /** The definition of an op; null when no provider has it. */
    public OpDefinition definition(String wireName) {
        Entry e = entries.get(wireName);
        if (e == null) return null;
        try {
            return OpDefinition.of(
                    Class.forName(e.className, true, e.provider.getClass().getClassLoader()));
        } catch (ClassNotFoundException x) {
            throw new OxbowException(INTERNAL, "op %s: class %s is missing".formatted(wireName, e.className), x);
        }
    }
}
