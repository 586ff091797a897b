/**
 * A task as others see it. Start with {@link dev.oxbow.cluster.worker.Worker}, then {@code LocalWorker}.
 *
 * <p>A worker has a {@code WorkerSession} for each session of a master: the states of nodes, containers of its own where the
 * session is isolated, and the graphs that were registered. A step is known in {@code StepTable} from its first message on,
 * whichever that is: a RunGraph, or the RecvTensor of another task that was faster. It ends by CleanupGraph, by the end of
 * its session, or when nobody has asked for it for the lease. Values wait in its {@code StepRendezvous}, and a receive of
 * what another task makes asks that task, by a link or, where it has none, by RecvTensor.
 */
package dev.oxbow.cluster.worker;
