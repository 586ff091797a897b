package dev.oxbow.runtime.compile;

import dev.oxbow.graph.pass.Subgraph;
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
    private final SessionOptions options;

    public Compiler(List<Device> devices, SessionOptions options) {
        for (Device d : devices) this.devices.put(d.spec(), d);
        this.options = options;
        this.global = new GlobalCompiler(
                List.copyOf(this.devices.keySet()),
                (d, op) -> this.devices.get(d).supports(op),
                options);
    }

    /** A program for each device that takes part in runs of a cut graph; {@code watcher}, if any, sees each stage. */
    public List<DeviceProgram> compile(Subgraph cut, Stages.Watcher watcher) {
        Stages stages = new Stages(options::service, watcher);
        List<DeviceProgram> programs = new ArrayList<>();
        for (Part p : global.compile(cut, stages)) {
            stages.begin(p);
            programs.add(LocalCompiler.compile(p, devices.get(p.device()), options.optimise(), stages));
        }
        return programs;
    }
}
