/**
 * Bytes between the ranks of a job. Start with {@link dev.oxbow.net.Link}, {@link dev.oxbow.net.Transport} and {@link
 * dev.oxbow.net.Mesh}.
 *
 * <p>A link is a reliable, ordered pipe of bytes to one peer that never blocks. A transport is one kind of network,
 * formed: it gives links, a clock and a way to wait. The mesh above them is the same for all: messages with tags,
 * matched with receives in order; notes to a handler; heartbeats. Nothing here has a thread; whoever steps it moves it,
 * so what runs on sockets also runs in the simulator, in virtual time.
 *
 * <p>Frames have 64 bytes in front, checked before memory is taken. A message goes straight from the sender's memory to
 * the receive that asked for it. What nobody asked for is held up to a bound; then the link is not read, and the sender
 * has to wait. Messages carry a channel: what comes for one that was forgotten is dropped.
 *
 * <p>Memory that hosts share is sent by reference: the peer reads it in place and says when it has, and taking such a
 * send back waits for that word, so nobody reads memory that was given back. Each rank's regions are files that are
 * unlinked once all have mapped them: a crash leaves nothing.
 *
 * <p>A link that is silent sends a heartbeat; a peer silent for {@code lostAfter} is lost, and every operation with it
 * ends with an error that names it. Time in which this process itself did not run does not count.
 *
 * <p>Ranks find each other through a {@code Store} and prove that they know the token, both ways, before a link exists.
 * Off loopback TLS 1.3 and a token are required unless the network is declared trusted. Both ends show a certificate of
 * the cluster's own authority; host names are not compared, since ranks move, so that authority must never be a public
 * one.
 *
 * {@snippet :
 * // ranks meet at a store, and then have a transport between any two of them
 * static void meet(RankEnvironment environment, Transport transport) {
 *     try (Store store = environment.directory().isPresent()
 *             ? new FileStore(Path.of(environment.directory().get()), environment.job())
 *             : new MemoryStore()) {
 *         store.put("rank" + environment.rank(), new HostPort("localhost", 4711).toString().getBytes());
 *         Token token = environment.token();
 *         byte[] proof = token.isEmpty() ? new byte[0] : token.proof(new byte[] {1});
 *     }
 *     Link next = transport.link((transport.rank() + 1) % transport.size());
 *     IO.println(next.peer());
 * }
 *
 * // messages over any transport, with deadlines in nanoseconds of its clock
 * static void exchange(Transport transport, long address, long bytes) {
 *     MeshConfig config = MeshConfig.DEFAULT.withLiveness(Duration.ofSeconds(1), Duration.ofSeconds(10));
 *     try (Mesh mesh = new Mesh(transport, config, (rank, why) -> {}, (rank, note, length) -> {})) {
 *         Answer answer = error -> IO.println(error == null ? "done" : error.getMessage());
 *         Sink sink = (from, at, length) -> IO.println(length + " bytes came");
 *         long deadline = transport.nanoTime() + 1_000_000_000;
 *         Operation out = mesh.send(1, 7, address, bytes, deadline, answer);
 *         Operation in = mesh.receive(1, 8, bytes, sink, deadline, answer);
 *         IO.println(out.moved() + in.moved());
 *     }
 * }
 *
 * // which of two ways is faster here is found while they are used
 * static boolean second(Contest contest) {
 *     contest.took(contest.takesSecond(), 1 << 20, 1_000_000);
 *     return contest.takesSecond();
 * }
 * }
 */
package dev.oxbow.net;
