package dev.oxbow.runtime;

import dev.oxbow.tensor.Tensor;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** One step that is fed and fetched in several calls; values in between stay in the step. Each feed and fetch happens once. */
public interface PartialRun extends AutoCloseable {

    /**
     * Feeds some values and fetches others that follow from what was fed so far; the caller owns them. Without a timeout
     * (null) that of the session holds.
     */
    List<Tensor> run(Map<String, Tensor> values, List<String> names, Duration timeout);

    /** Ends the step, if it has not ended. */
    @Override
    void close();
}
