package dev.oxbow.runtime.compile;

import dev.oxbow.runtime.Device;
import java.util.List;

/** What one device executes for one kind of run: frames by number, the root first. Immutable, shared by concurrent steps. */
public record DeviceProgram(Device device, List<FrameProgram> frames) {

    public FrameProgram root() {
        return frames.getFirst();
    }
}
