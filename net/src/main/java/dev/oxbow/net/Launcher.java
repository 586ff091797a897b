package dev.oxbow.net;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import java.util.Optional;

/** Whoever started the ranks, and the variables in which it tells each which one it is. Inner launchers come first. */
enum Launcher {
    OXBOW {
        @Override
        boolean isIn(Variables v) {
            if (v.has("OXBOW_SIZE") && !v.has("OXBOW_RANK") && v.has("JOB_COMPLETION_INDEX")) return false;
            return v.both("OXBOW_RANK", "OXBOW_SIZE");
        }

        @Override
        Place place(Variables v) {
            boolean local = v.both("OXBOW_LOCAL_RANK", "OXBOW_LOCAL_SIZE");
            return new Place(
                    v.needed("OXBOW_RANK", "OXBOW_SIZE"),
                    v.needed("OXBOW_SIZE", "OXBOW_RANK"),
                    local ? v.number("OXBOW_LOCAL_RANK").orElseThrow() : 0,
                    local ? v.number("OXBOW_LOCAL_SIZE").orElseThrow() : 1,
                    Optional.empty(),
                    Optional.empty(),
                    "OXBOW_*");
        }
    },

    TORCHRUN {
        @Override
        boolean isIn(Variables v) {
            return v.both("RANK", "WORLD_SIZE");
        }

        @Override
        Place place(Variables v) {
            boolean local = v.both("LOCAL_RANK", "LOCAL_WORLD_SIZE");
            boolean master = v.both("MASTER_ADDR", "MASTER_PORT");
            // torchrun's own store keeps MASTER_PORT, so that ours takes the next one
            Optional<String> rendezvous = !master
                    ? Optional.empty()
                    : Optional.of(new HostPort(
                                    v.text("MASTER_ADDR").orElseThrow(),
                                    v.number("OXBOW_PORT").orElseGet(() -> v.needed("MASTER_PORT", "MASTER_ADDR") + 1))
                            .toString());
            return new Place(
                    v.needed("RANK", "WORLD_SIZE"),
                    v.needed("WORLD_SIZE", "RANK"),
                    local ? v.number("LOCAL_RANK").orElseThrow() : 0,
                    local ? v.number("LOCAL_WORLD_SIZE").orElseThrow() : 1,
                    rendezvous,
                    v.text("TORCHELASTIC_RUN_ID").map(id -> "torchrun-" + id),
                    "torchrun");
        }
    },

    OPEN_MPI {
        @Override
        boolean isIn(Variables v) {
            return v.both("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE");
        }

        @Override
        Place place(Variables v) {
            boolean local = v.both("OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE");
            Optional<String> job = v.text("PMIX_NAMESPACE").or(() -> v.text("OMPI_MCA_ess_base_jobid"));
            int size = v.needed("OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK");
            int localSize = local ? v.number("OMPI_COMM_WORLD_LOCAL_SIZE").orElseThrow() : 1;
            return new Place(
                    v.needed("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
                    size,
                    local ? v.number("OMPI_COMM_WORLD_LOCAL_RANK").orElseThrow() : 0,
                    localSize,
                    // Open MPI does not say where rank 0 is, unless all ranks are here
                    localSize == size
                            ? job.map(j -> new HostPort("127.0.0.1", port(v, j)).toString())
                            : Optional.empty(),
                    job.map(j -> "ompi-" + j),
                    "Open MPI");
        }
    },

    SLURM {
        @Override
        boolean isIn(Variables v) {
            return v.has("SLURM_PROCID");
        }

        @Override
        Place place(Variables v) {
            int size = v.number("SLURM_STEP_NUM_TASKS").orElseGet(() -> v.needed("SLURM_NTASKS", "SLURM_PROCID"));
            int localRank = v.number("SLURM_LOCALID").orElse(0);
            Optional<String> nodes = v.text("SLURM_STEP_NODELIST").or(() -> v.text("SLURM_JOB_NODELIST"));
            Optional<String> tasks = v.text("SLURM_STEP_TASKS_PER_NODE").or(() -> v.text("SLURM_TASKS_PER_NODE"));
            boolean oneNode = nodes.isPresent() && Nodes.isOne(nodes.get());
            int localSize = tasks.map(
                            t -> Nodes.tasks(t, v.number("SLURM_NODEID").orElse(0)))
                    .orElse(oneNode ? size : localRank + 1);
            Optional<String> job = v.text("SLURM_JOB_ID")
                    .or(() -> v.text("SLURM_JOBID"))
                    .map(id -> id + v.text("SLURM_STEP_ID").map(s -> "." + s).orElse(""));
            return new Place(
                    v.needed("SLURM_PROCID", "SLURM_NTASKS"),
                    size,
                    localRank,
                    localSize,
                    nodes.map(n -> new HostPort(Nodes.first(n), port(v, job.orElse(""))).toString()),
                    job.map(j -> "slurm-" + j),
                    "Slurm");
        }
    },

    KUBERNETES {
        @Override
        boolean isIn(Variables v) {
            return v.has("JOB_COMPLETION_INDEX");
        }

        @Override
        Place place(Variables v) {
            int rank = v.needed("JOB_COMPLETION_INDEX", "OXBOW_SIZE");
            int size = v.number("OXBOW_SIZE").orElseGet(() -> v.needed("JOB_COMPLETIONS", "JOB_COMPLETION_INDEX"));
            // a pod of an indexed job has the host name JOB-INDEX, and JOB-INDEX.SERVICE in the job's headless service
            Optional<String> job = v.text("HOSTNAME")
                    .filter(h -> h.endsWith("-" + rank))
                    .map(h -> h.substring(0, h.length() - ("-" + rank).length()));
            Optional<String> service = v.text("OXBOW_SERVICE");
            require(
                    service.isEmpty() || job.isPresent(),
                    INVALID_ARGUMENT,
                    "environment: OXBOW_SERVICE needs HOSTNAME to end in -%d, got %s",
                    rank,
                    v.text("HOSTNAME").orElse("none"));
            return new Place(
                    rank,
                    size,
                    0,
                    1,
                    service.map(s -> new HostPort(job.get() + "-0." + s, port(v, job.get())).toString()),
                    job,
                    "Kubernetes");
        }
    };

    /** What one launcher says; the job and the rendezvous only where it knows. */
    private record Place(
            int rank,
            int size,
            int localRank,
            int localSize,
            Optional<String> rendezvous,
            Optional<String> job,
            String source) {}

    private static final int FIRST_PORT = 20_000;
    private static final int PORTS = 10_000;

    abstract boolean isIn(Variables variables);

    abstract Place place(Variables variables);

    static RankEnvironment read(Variables v) {
        Place place = new Place(0, 1, 0, 1, Optional.empty(), Optional.empty(), "no launcher");
        for (Launcher launcher : values()) {
            if (!launcher.isIn(v)) continue;
            place = launcher.place(v);
            break;
        }
        return new RankEnvironment(
                place.rank,
                place.size,
                place.localRank,
                place.localSize,
                v.text("OXBOW_RENDEZVOUS").or(place::rendezvous),
                v.text("OXBOW_JOB").or(place::job).orElse("oxbow"),
                v.token(),
                place.source);
    }

    /** The port of rank 0's store: {@code OXBOW_PORT}, or one that follows from the job, below the ephemeral ones. */
    private static int port(Variables v, String job) {
        return v.number("OXBOW_PORT").orElse(FIRST_PORT + Math.floorMod(job.hashCode(), PORTS));
    }
}
