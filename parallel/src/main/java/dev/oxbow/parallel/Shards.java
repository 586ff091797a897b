package dev.oxbow.parallel;

import static dev.oxbow.tensor.ErrorCode.INTERNAL;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.TensorType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Which parameter server holds a variable: the largest go first, each to the server that has least. */
final class Shards implements Homes {

    /*
     * Every worker decides for itself, so the answer must follow from the graph alone: families of variables by bytes, those
     * of the same size by the order of the graph. What is added to the graph later finds its place beside what is there.
     */

    private final List<String> servers;
    private final Families families = new Families();
    private final Map<String, Integer> homes = new HashMap<>();
    private final long[] bytes;

    /** On servers by the names of their devices. */
    Shards(List<String> servers) {
        this.servers = List.copyOf(servers);
        this.bytes = new long[servers.size()];
    }

    @Override
    public synchronized void learn(Graph graph) {
        Map<String, Long> sizes = new LinkedHashMap<>();
        Map<String, Boolean> counted = new HashMap<>();
        for (Node h : families.learn(graph)) {
            if (counted.putIfAbsent(Families.name(h), true) == null) sizes.merge(families.of(h), size(h), Long::sum);
        }
        List<String> largest = new ArrayList<>(sizes.keySet());
        largest.sort((a, b) -> Long.compare(sizes.get(b), sizes.get(a))); // stable
        for (String f : largest) {
            int at = homes.computeIfAbsent(f, _ -> least());
            bytes[at] += sizes.get(f);
        }
    }

    private int least() {
        int least = 0;
        for (int s = 1; s < bytes.length; s++) if (bytes[s] < bytes[least]) least = s;
        return least;
    }

    private static long size(Node handle) {
        long all = 0;
        for (TensorType t : handle.output(0).behind()) if (t.isAllocatable()) all += t.byteSize();
        return all;
    }

    /** The number of the server of the variable behind a handle. */
    synchronized int server(Node handle) {
        Integer at = homes.get(families.of(handle));
        require(at != null, INTERNAL, "Shards: variable %s was not seen before", Families.name(handle));
        return at;
    }

    @Override
    public String of(Node handle) {
        return servers.get(server(handle));
    }

    /** The bytes that each server holds. */
    synchronized long[] bytes() {
        return bytes.clone();
    }
}
