package dev.oxbow.train.layer;

/** A layer that goes over [batch, time, channels] from the first step to the last, and gives what it has after the last. */
public interface OverTime extends Layer {

    /** Gives the outputs of all steps, [batch, time, units], instead of the last one. */
    OverTime sequences();

    /** Goes from the last step to the first; outputs of all steps stay where their inputs were. */
    OverTime reversed();
}
