package dev.oxbow.net.tcp;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.net.FileStore;
import dev.oxbow.net.HostPort;
import dev.oxbow.net.MemoryStore;
import dev.oxbow.net.RankEnvironment;
import dev.oxbow.net.Store;
import java.nio.file.Path;
import java.time.Duration;

/** Opens the store at which the environment tells the ranks to meet. */
public final class Rendezvous {
    private Rendezvous() {}

    /** A directory, or rank 0's own store; a job of one rank needs neither. */
    public static Store open(RankEnvironment environment, TcpConfig config, Duration deadline) {
        if (environment.directory().isPresent()) {
            return new FileStore(Path.of(environment.directory().get()), config.job());
        }
        if (environment.address().isEmpty()) {
            require(
                    environment.size() == 1,
                    INVALID_ARGUMENT,
                    "rendezvous: %s says that there are %d ranks but not where they meet;"
                            + " set OXBOW_RENDEZVOUS to host:port of rank 0 or to file:/directory",
                    environment.source(),
                    environment.size());
            return new MemoryStore();
        }
        HostPort address = environment.address().get();
        int rank = environment.rank(), size = environment.size();
        if (rank == 0) return TcpStore.serve(address, size, config);
        return TcpStore.connect(address, rank, size, config, deadline);
    }
}
