package dev.oxbow.train;

/** Looks on while a trainer fits, and may end it. All methods are called by the thread that fits. */
public interface Callback {

    /** After a step, which {@link Trainer#position} counts already; {@code loss} is the mean over its examples. */
    default void step(Trainer trainer, double loss) {}

    /** After an epoch; true ends the fit. */
    default boolean epoch(Trainer trainer, Epoch epoch) {
        return false;
    }

    /** After the last epoch, or when training stops or fails. */
    default void end(Trainer trainer) {}
}
