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
    private static final String OLD = "Experimental";

    private static final class Holder {
        static final OpRegistry INSTANCE = new OpRegistry();
    }

    /** Made when an op is first asked for by its name, which programs that build their graphs seldom do. */
    private static final class Entries {
        static final Map<String, Entry> BY_NAME = Entry.of(Holder.INSTANCE.providers);
    }

    private record Entry(OpProvider provider, String className) {
        static Map<String, Entry> of(List<OpProvider> providers) {
            Map<String, Entry> all = new HashMap<>();
            for (OpProvider p : providers) {
                for (String line : p.ops()) {
                    int equals = line.indexOf('=');
                    String wire = equals < 0 ? line : line.substring(0, equals);
                    String type = equals < 0 ? line : line.substring(equals + 1);
                    Entry old = all.put(wire, new Entry(p, p.getClass().getPackageName() + "." + type));
                    if (old != null)
                        throw new OxbowException(
                                INTERNAL, "op %s is provided by %s and by %s".formatted(wire, old.provider, p));
                }
            }
            return all;
        }
    }

    private final List<OpProvider> providers = new ArrayList<>();

    private OpRegistry() {
        ServiceLoader.load(OpProvider.class, OpRegistry.class.getClassLoader()).forEach(providers::add);
    }

    public static OpRegistry get() {
        return Holder.INSTANCE;
    }

    /** Ops of data sets have an older name, which begins with a word that was left out later. */
    private static Entry entry(String wireName) {
        Entry e = Entries.BY_NAME.get(wireName);
        return e == null && wireName.startsWith(OLD) ? Entries.BY_NAME.get(wireName.substring(OLD.length())) : e;
    }

    public boolean has(String wireName) {
        return entry(wireName) != null;
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
        return new TreeSet<>(Entries.BY_NAME.keySet());
    }

    /** The definition of an op; null when no provider has it. */
    public OpDefinition definition(String wireName) {
        Entry e = entry(wireName);
        if (e == null) return null;
        try {
            return OpDefinition.of(
                    Class.forName(e.className, true, e.provider.getClass().getClassLoader()));
        } catch (ClassNotFoundException x) {
            throw new OxbowException(INTERNAL, "op %s: class %s is missing".formatted(wireName, e.className), x);
        }
    }
}
