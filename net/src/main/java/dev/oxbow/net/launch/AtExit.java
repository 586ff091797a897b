package dev.oxbow.net.launch;

/** Something that is done when this process ends by a signal, unless it was done before. */
final class AtExit {
    private final Thread hook;

    AtExit(Runnable what, String name) {
        hook = new Thread(what, name);
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** It need not be done any more. */
    void remove() {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            return; // this process is ending, and the hook is there for that
        }
    }
}
