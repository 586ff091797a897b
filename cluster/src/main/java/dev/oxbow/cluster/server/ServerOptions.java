package dev.oxbow.cluster.server;

import dev.oxbow.cluster.link.LinkOptions;
import dev.oxbow.cluster.master.MasterOptions;
import dev.oxbow.cluster.rpc.Security;
import dev.oxbow.cluster.worker.WorkerOptions;
import dev.oxbow.net.TlsConfig;
import dev.oxbow.net.Token;
import dev.oxbow.runtime.EngineOptions;
import java.nio.file.Path;
import java.time.Duration;

/**
 * How a server is made. Immutable; start from {@link #defaults}.
 *
 * @param engine its devices and threads; the task is set by the server
 * @param bind where to listen, of which the port is that of the task; null for loopback
 * @param security certificates and token; none is for one machine or a network that is trusted
 * @param trusted whether a server beyond loopback may do without
 * @param eventLoops threads that move messages
 * @param maxMessageBytes the longest message that is taken
 * @param links how values go between tasks of ours
 * @param direct whether clients of the same process call it without messages
 */
public record ServerOptions(
        EngineOptions engine,
        WorkerOptions worker,
        MasterOptions master,
        String bind,
        Security security,
        boolean trusted,
        int eventLoops,
        int maxMessageBytes,
        LinkOptions links,
        boolean direct) {

    /** More threads than one for two cores only take them from each other: eight tasks on two did 10 % more steps with one each. */
    private static final int MOST_LOOPS = 2;

    public static ServerOptions defaults() {
        return new ServerOptions(
                EngineOptions.defaults(),
                WorkerOptions.defaults(),
                MasterOptions.defaults(),
                null,
                Security.NONE,
                false,
                Math.clamp(Runtime.getRuntime().availableProcessors() / 2, 1, MOST_LOOPS),
                Integer.MAX_VALUE,
                LinkOptions.defaults(),
                true);
    }

    public ServerOptions withEngine(EngineOptions o) {
        return new ServerOptions(
                o, worker, master, bind, security, trusted, eventLoops, maxMessageBytes, links, direct);
    }

    public ServerOptions withBind(String host) {
        return new ServerOptions(
                engine, worker, master, host, security, trusted, eventLoops, maxMessageBytes, links, direct);
    }

    public ServerOptions withTls(TlsConfig tls) {
        return withSecurity(new Security(tls, security.token()));
    }

    public ServerOptions withToken(Token token) {
        return withSecurity(new Security(security.tls(), token));
    }

    private ServerOptions withSecurity(Security s) {
        return new ServerOptions(engine, worker, master, bind, s, trusted, eventLoops, maxMessageBytes, links, direct);
    }

    /** Says that everybody who can reach the server may use it. */
    public ServerOptions withTrustedNetwork(boolean on) {
        return new ServerOptions(
                engine, worker, master, bind, security, on, eventLoops, maxMessageBytes, links, direct);
    }

    /** How long a session lives whose client's connections have gone. */
    public ServerOptions withLease(Duration d) {
        return withMaster(master.withLease(d));
    }

    /** Has one of so many steps of each kind traced into a file of a folder. */
    public ServerOptions withTraces(int every, Path folder) {
        return withMaster(master.withTraces(every, folder));
    }

    /** How many traces the folder keeps; then the oldest goes. */
    public ServerOptions withTraceFiles(int most) {
        return withMaster(master.withTraceFiles(most));
    }

    /** Where what graphs cost is kept for the next life of the task; see {@code SessionOptions.withMeasuredSteps}. */
    public ServerOptions withCostFolder(Path folder) {
        return withMaster(master.withCostFolder(folder));
    }

    /** How many programs a session keeps. */
    public ServerOptions withPrograms(int most) {
        return withMaster(master.withPrograms(most));
    }

    private ServerOptions withMaster(MasterOptions o) {
        return new ServerOptions(
                engine, worker, o, bind, security, trusted, eventLoops, maxMessageBytes, links, direct);
    }

    public ServerOptions withEventLoops(int threads) {
        return new ServerOptions(
                engine, worker, master, bind, security, trusted, threads, maxMessageBytes, links, direct);
    }

    public ServerOptions withLinks(LinkOptions o) {
        return new ServerOptions(
                engine, worker, master, bind, security, trusted, eventLoops, maxMessageBytes, o, direct);
    }

    /** After how long a task counts as lost that gives no sign of life. */
    public Duration lostAfter() {
        return links.lostAfter();
    }

    public ServerOptions withLostAfter(Duration d) {
        return withLinks(links.withLostAfter(d));
    }

    public ServerOptions withMaxMessageBytes(int most) {
        return new ServerOptions(engine, worker, master, bind, security, trusted, eventLoops, most, links, direct);
    }

    /** Whether clients of the same process call it by methods, which is quicker, or by messages as others do. */
    public ServerOptions withDirect(boolean on) {
        return new ServerOptions(
                engine, worker, master, bind, security, trusted, eventLoops, maxMessageBytes, links, on);
    }
}
