package dev.oxbow.runtime.compile;

import dev.oxbow.graph.Subgraph;
import dev.oxbow.runtime.DeviceSpec;

/** What one device has to do in one kind of run. */
public record Part(DeviceSpec device, Subgraph graph) {}
