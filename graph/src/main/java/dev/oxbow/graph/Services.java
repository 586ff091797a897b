package dev.oxbow.graph;

/** What a session was opened with, by type. */
@FunctionalInterface
public interface Services {
    /** The service of this type, or null. */
    <T> T service(Class<T> type);

    /** None at all. */
    Services NONE = new Services() {
        @Override
        public <T> T service(Class<T> type) {
            return null;
        }
    };
}
