package dev.oxbow.graph;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.ErrorCode.NOT_FOUND;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.tensor.OxbowException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Named resources of one device, in named containers that can be reset. Thread-safe. */
public final class Containers {

    /** The container of resources that name none. */
    public static final String DEFAULT = "localhost";

    private final Map<String, Map<String, Resource>> containers = new HashMap<>();

    /** The resource with this name and type, made by {@code maker} if there is none; a blank container is the default one. */
    public synchronized <T extends Resource> T lookupOrCreate(
            String container, String name, Class<T> type, Supplier<T> maker) {
        Map<String, Resource> c = containers.computeIfAbsent(key(container), k -> new HashMap<>());
        Resource r = c.get(typed(type, name));
        if (r == null) c.put(typed(type, name), r = maker.get());
        return type.cast(r);
    }

    /** The resource, or NOT_FOUND. */
    public synchronized <T extends Resource> T lookup(String container, String name, Class<T> type) {
        Map<String, Resource> c = containers.get(key(container));
        Resource r = c == null ? null : c.get(typed(type, name));
        require(
                r != null,
                NOT_FOUND,
                "Resource %s/%s of type %s does not exist",
                key(container),
                name,
                type.getSimpleName());
        return type.cast(r);
    }

    /** The names of the resources of a type in a container, sorted. */
    public synchronized List<String> names(String container, Class<? extends Resource> type) {
        String prefix = typed(type, "");
        return containers.getOrDefault(key(container), Map.of()).keySet().stream()
                .filter(k -> k.startsWith(prefix))
                .map(k -> k.substring(prefix.length()))
                .sorted()
                .toList();
    }

    /** Puts a new resource; ALREADY_EXISTS by INVALID_ARGUMENT when the name is taken. */
    public synchronized void create(String container, String name, Resource resource) {
        Map<String, Resource> c = containers.computeIfAbsent(key(container), k -> new HashMap<>());
        Resource old = c.putIfAbsent(typed(resource.getClass(), name), resource);
        require(old == null, INVALID_ARGUMENT, "Resource %s/%s exists already", key(container), name);
    }

    /** Removes and closes one resource; false when there is none. */
    public boolean delete(String container, String name, Class<? extends Resource> type) {
        Resource r;
        synchronized (this) {
            Map<String, Resource> c = containers.get(key(container));
            r = c == null ? null : c.remove(typed(type, name));
        }
        if (r != null) r.close();
        return r != null;
    }

    /** Removes and closes everything in the named containers, or in all when none is named. */
    public void reset(List<String> names) {
        List<Resource> all = new ArrayList<>();
        synchronized (this) {
            List<String> which = names.isEmpty()
                    ? List.copyOf(containers.keySet())
                    : names.stream().map(Containers::key).toList();
            for (String n : which) {
                Map<String, Resource> c = containers.remove(n);
                if (c != null) all.addAll(c.values());
            }
        }
        OxbowException first = null;
        for (Resource r : all) {
            try {
                r.close();
            } catch (OxbowException e) {
                if (first == null) first = e;
            }
        }
        if (first != null) throw first;
    }

    /** How many resources there are. */
    public synchronized int size() {
        return containers.values().stream().mapToInt(Map::size).sum();
    }

    private static String key(String container) {
        return container == null || container.isEmpty() ? DEFAULT : container;
    }

    private static String typed(Class<?> type, String name) {
        return type.getName() + "/" + name;
    }
}
