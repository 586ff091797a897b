package dev.oxbow.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Another system that trains the perceptrons of {@code bench distributed}, by {@code distributed.py}. */
enum DistributedPeer {
    /** DistributedDataParallel over Gloo. */
    DDP("ddp", "torch-ddp", "torch", "torch.distributed", "torch numpy"),
    /** MultiWorkerMirroredStrategy, a ring over gRPC. */
    TF("tf", "tf-ring", "tf", "tensorflow", "tensorflow-cpu"),
    /** Parameter servers with SyncReplicas, one of them. */
    TF_PS("tf-ps", "tf-ps", "tf_ps", "tensorflow", "tensorflow-cpu"),
    /** The same with gradients applied as they come. */
    TF_PS_ASYNC("tf-ps-async", "tf-ps-async", "tf_ps_async", "tensorflow", "tensorflow-cpu"),
    /** DataParallel over Gloo. */
    PADDLE("paddle", "paddle-dp", "paddle", "paddle.distributed", "paddlepaddle numpy");

    private final String key;
    private final String system;
    private final String framework;
    private final String module;
    private final String packages;

    DistributedPeer(String key, String system, String framework, String module, String packages) {
        this.key = key;
        this.system = system;
        this.framework = framework;
        this.module = module;
        this.packages = packages;
    }

    static Optional<DistributedPeer> of(String key) {
        return Arrays.stream(values()).filter(p -> p.key.equals(key)).findFirst();
    }

    static List<String> keys() {
        return Arrays.stream(values()).map(p -> p.key).toList();
    }

    /** What its rows are called. */
    String system() {
        return system;
    }

    /** What {@code distributed.py} calls it. */
    String framework() {
        return framework;
    }

    /** Processes beside the workers, which hold the parameters. */
    int servers() {
        return framework.startsWith("tf_ps") ? 1 : 0;
    }

    /** Its interpreter, or why there is none. */
    Path python(Path work) throws IOException, InterruptedException {
        Path python = Python.executable(work, framework.split("_")[0]);
        if (Files.isExecutable(python)) {
            Process p = new ProcessBuilder(python.toString(), "-c", "import " + module)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            if (p.waitFor() == 0) return python;
        }
        String venv = ".oxbow/venv-" + framework.split("_")[0];
        throw new IOException(
                "there is no %s in .oxbow/venv or %s; make it by: python3 -m venv %s && %s/bin/pip install %s"
                        .formatted(module, venv, venv, venv, packages));
    }
}
