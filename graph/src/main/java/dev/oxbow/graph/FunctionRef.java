package dev.oxbow.graph;

import java.util.Map;

/** A function of the library by name, with values for its type attributes. */
public record FunctionRef(String name, Map<String, Object> attributes) {
    public FunctionRef(String name) {
        this(name, Map.of());
    }

    @Override
    public String toString() {
        return name;
    }
}
