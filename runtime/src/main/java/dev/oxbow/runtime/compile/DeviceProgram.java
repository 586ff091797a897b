package dev.oxbow.runtime.compile;

import dev.oxbow.graph.pass.FitMemory;
import dev.oxbow.runtime.Device;
import java.util.List;

/**
 * What one device executes for one kind of run: frames by number, the root first. Immutable, shared by concurrent steps.
 *
 * @param memory how it was made to fit a memory budget; null without one
 */
public record DeviceProgram(Device device, List<FrameProgram> frames, Fitted memory) {

    /** What was in use of a budget, and what fitting a step into the rest came to. */
    public record Fitted(long used, FitMemory.Report report) {}

    public FrameProgram root() {
        return frames.getFirst();
    }
}
