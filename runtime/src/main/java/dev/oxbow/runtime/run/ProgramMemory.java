package dev.oxbow.runtime.run;

import dev.oxbow.runtime.Device;
import dev.oxbow.runtime.compile.DeviceProgram;
import java.util.List;

/** A device's program with what its frames, by number, keep from step to step. */
record ProgramMemory(Device device, List<FrameMemory> frames, DeviceProgram.Fitted fitted) {
    static ProgramMemory of(DeviceProgram p) {
        return new ProgramMemory(
                p.device(),
                p.frames().stream().map(f -> new FrameMemory(f, p.device())).toList(),
                p.memory());
    }
}
