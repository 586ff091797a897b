package dev.oxbow.cluster.master;

import dev.oxbow.graph.FunctionLibrary;
import dev.oxbow.graph.OpRegistry;
import dev.oxbow.graph.wire.MissingOps;
import dev.oxbow.wire.proto.AttrValue;
import dev.oxbow.wire.proto.FunctionDef;
import dev.oxbow.wire.proto.GraphDef;
import dev.oxbow.wire.proto.NodeDef;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Sets nodes aside whose ops are not known here, and all that needs them: the graphs of clients hold summaries and readers
 * that most runs do not touch. A run that does is told of the ops.
 */
final class KnownNodes {
    /** By name of a node or function that was set aside: the ops that are not known. */
    private final Map<String, Set<String>> aside = new HashMap<>();

    private final Map<String, Set<String>> functions = new HashMap<>();

    /** The graph without what is set aside; {@code library} has the functions that came before. */
    GraphDef of(GraphDef def, FunctionLibrary library) {
        findFunctions(def, library);
        Map<String, Set<String>> found = new HashMap<>();
        Map<String, List<NodeDef>> readers = new HashMap<>();
        ArrayDeque<NodeDef> work = new ArrayDeque<>();
        for (NodeDef n : def.getNodeList()) {
            Set<String> missing = missing(n, def, library);
            for (String in : n.getInputList()) {
                String from = name(in);
                if (aside.containsKey(from)) missing.addAll(aside.get(from));
                readers.computeIfAbsent(from, _ -> new ArrayList<>()).add(n);
            }
            if (missing.isEmpty()) continue;
            found.put(n.getName(), missing);
            work.add(n);
        }
        if (found.isEmpty() && functions.isEmpty()) return def;
        while (!work.isEmpty()) {
            NodeDef n = work.poll();
            for (NodeDef r : readers.getOrDefault(n.getName(), List.of()))
                if (found.computeIfAbsent(r.getName(), _ -> new TreeSet<>()).addAll(found.get(n.getName())))
                    work.add(r);
        }
        aside.putAll(found);
        GraphDef.Builder known = def.toBuilder().clearNode();
        for (NodeDef n : def.getNodeList()) if (!found.containsKey(n.getName())) known.addNode(n);
        known.getLibraryBuilder().clearFunction();
        for (FunctionDef f : def.getLibrary().getFunctionList())
            if (!functions.containsKey(f.getSignature().getName()))
                known.getLibraryBuilder().addFunction(f);
        return known.build();
    }

    /** Functions that need ops which are not known, by themselves or through others. */
    private void findFunctions(GraphDef def, FunctionLibrary library) {
        boolean more = true;
        while (more) {
            more = false;
            for (FunctionDef f : def.getLibrary().getFunctionList()) {
                Set<String> missing = new TreeSet<>();
                for (NodeDef n : f.getNodeDefList()) missing.addAll(missing(n, def, library));
                if (missing.isEmpty()) continue;
                Set<String> before = functions.put(f.getSignature().getName(), missing);
                more |= !missing.equals(before);
            }
        }
    }

    /** The ops that a node alone lacks. */
    private Set<String> missing(NodeDef n, GraphDef def, FunctionLibrary library) {
        Set<String> all = new TreeSet<>();
        String op = n.getOp();
        if (functions.containsKey(op)) all.addAll(functions.get(op));
        else if (OpRegistry.get().definition(op) == null && !library.has(op) && !isFunction(op, def)) all.add(op);
        for (AttrValue v : n.getAttrMap().values()) {
            if (v.hasFunc() && functions.containsKey(v.getFunc().getName()))
                all.addAll(functions.get(v.getFunc().getName()));
            v.getList().getFuncList().forEach(f -> all.addAll(functions.getOrDefault(f.getName(), Set.of())));
        }
        return all;
    }

    private static boolean isFunction(String op, GraphDef def) {
        for (FunctionDef f : def.getLibrary().getFunctionList())
            if (f.getSignature().getName().equals(op)) return true;
        return false;
    }

    private static String name(String input) {
        String s = input.startsWith("^") ? input.substring(1) : input;
        int colon = s.lastIndexOf(':');
        return colon < 0 ? s : s.substring(0, colon);
    }

    /** Fails if one of these values or nodes was set aside, with the ops for which it was. */
    void require(Collection<String> names) {
        Set<String> missing = new TreeSet<>();
        for (String n : names) missing.addAll(aside.getOrDefault(name(n), Set.of()));
        if (!missing.isEmpty()) throw MissingOps.error(missing, missing);
    }
}
