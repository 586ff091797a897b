package dev.oxbow.graph;

import dev.oxbow.tensor.OxbowException;
import java.util.Map;

/** A function of the library by name, with values for its type attributes. */
public record FunctionRef(String name, Map<String, Object> attributes) {
    public FunctionRef(String name) {
        this(name, Map.of());
    }

    /** An error in this function. */
    public OxbowException located(OxbowException e) {
        return e.at("function " + name, null, null);
    }

    @Override
    public String toString() {
        return name;
    }
}
