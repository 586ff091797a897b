package dev.oxbow.runtime.compile;

import static dev.oxbow.tensor.ErrorCode.FAILED_PRECONDITION;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.graph.Graph;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.runtime.Device;
import dev.oxbow.runtime.DeviceSpec;
import dev.oxbow.runtime.SessionOptions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Both halves of compilation, for the devices of this process. */
public final class Compiler {
    private final Map<DeviceSpec, Device> devices = new LinkedHashMap<>();
    private final GlobalCompiler global;
    private final Anchors anchors;
    private final SessionOptions options;
    private final Foresight foresight;

    public Compiler(List<Device> devices, SessionOptions options, Foresight foresight) {
        for (Device d : devices) this.devices.put(d.spec(), d);
        this.options = options;
        this.foresight = foresight;
        this.global = new GlobalCompiler(
                List.copyOf(this.devices.keySet()),
                (d, op) -> this.devices.get(d).supports(op),
                options,
                options.measuredSteps() > 0 ? new CostModel() : null);
        this.anchors = global.anchors();
    }

    /** A program for each device that takes part in runs of a cut graph; {@code watcher}, if any, sees each stage. */
    public List<DeviceProgram> compile(Subgraph cut, Stages.Watcher watcher) {
        return compile(cut, Map.of(), watcher);
    }

    /** As above, for a cut of the session's graph {@code whole}, which says where its state is. */
    public List<DeviceProgram> compile(Subgraph cut, Graph whole, Stages.Watcher watcher) {
        return compile(cut, anchors.of(whole), watcher);
    }

    private List<DeviceProgram> compile(Subgraph cut, Map<String, DeviceSpec> anchors, Stages.Watcher watcher) {
        Stages stages = new Stages(options::service, watcher);
        return compile(global.compile(cut, anchors, stages), stages);
    }

    /** The programs of parts that were made here or elsewhere for devices of this process. */
    public List<DeviceProgram> compile(List<Part> parts) {
        return compile(parts, new Stages(options::service, null));
    }

    private List<DeviceProgram> compile(List<Part> parts, Stages stages) {
        List<DeviceProgram> programs = new ArrayList<>();
        for (Part p : parts) {
            Device device = devices.get(p.device());
            require(
                    device != null,
                    FAILED_PRECONDITION,
                    "Part: it is for %s, and the devices here are %s",
                    p.device(),
                    devices.keySet());
            stages.begin(p);
            programs.add(LocalCompiler.compile(p, device, options, foresight, stages));
        }
        return programs;
    }
}
