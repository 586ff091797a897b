package dev.oxbow.runtime;

import java.util.List;

/** What one device executes for one kind of run: immutable, shared by concurrent steps. */
record Program(Device device, FrameProgram root, List<FrameProgram> frames, int instructions) {}
