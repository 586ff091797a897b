/**
 * What holds a run up, from its traces and figures. Start with {@link dev.oxbow.observe.diagnosis.Diagnosis}; a {@link
 * dev.oxbow.observe.diagnosis.Timeline} is one step on all workers, on one clock.
 */
package dev.oxbow.observe.diagnosis;
