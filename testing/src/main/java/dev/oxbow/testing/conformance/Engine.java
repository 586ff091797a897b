package dev.oxbow.testing.conformance;

import dev.oxbow.tensor.ErrorCode;
import dev.oxbow.tensor.OxbowException;
import dev.oxbow.tensor.Tensor;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;

/** What runs a TensorFlow graph: the whole of what conformance cases need to know of it. Thread-safe. */
public interface Engine {

    /** What selects this engine, such as {@code session}. */
    String name();

    /** The ops of a GraphDef and of its function library that the engine does not have. */
    Set<String> missingOps(byte[] graphDef);

    /** Opens a session on a GraphDef, with containers that no other session shares. */
    Program open(byte[] graphDef);

    /** One session on one graph; its variables and queues live from run to run. */
    interface Program extends AutoCloseable {

        /**
         * Feeds and fetches values by {@code name:port} and runs targets by name; one tensor per fetch, the caller's to close.
         * A run that takes longer than {@code deadline} ends with {@link ErrorCode#DEADLINE_EXCEEDED}.
         */
        List<Tensor> run(Map<String, Tensor> feeds, List<String> fetches, List<String> targets, Duration deadline);

        @Override
        void close();
    }

    /** The installed engine of that name, or the first one when {@code name} is null. */
    static Engine installed(String name) {
        List<Engine> engines = ServiceLoader.load(Engine.class).stream()
                .map(ServiceLoader.Provider::get)
                .toList();
        return engines.stream()
                .filter(e -> name == null || e.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new OxbowException(
                        ErrorCode.NOT_FOUND,
                        name == null
                                ? "conformance: no engine is installed"
                                : "conformance: no engine is called '%s', only %s"
                                        .formatted(
                                                name,
                                                engines.stream()
                                                        .map(Engine::name)
                                                        .toList())));
    }
}
