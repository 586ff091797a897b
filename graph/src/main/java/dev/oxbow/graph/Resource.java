package dev.oxbow.graph;

/** State with a name in a container: a variable, a queue, a table. Closed when its container is reset or it is deleted. */
public interface Resource {
    /** Frees what it holds and ends waits on it. */
    void close();

    /** What it is, for errors: {@code variable}, {@code queue}, ... */
    String kind();
}
