package dev.oxbow.observe;

import java.io.IOException;

/** Takes the events of a stream, in order, on a thread of its own. One that fails is told no more. */
public interface EventReader extends AutoCloseable {

    /** An event and when it was published, in milliseconds since 1970. */
    void event(long millis, Event event) throws IOException;

    /** So many events were lost before the next one, since this reader was too slow. */
    default void lost(long count) throws IOException {}

    /** There is no event at the moment; what was taken should be where others see it. */
    default void idle() throws IOException {}

    @Override
    default void close() throws IOException {}
}
