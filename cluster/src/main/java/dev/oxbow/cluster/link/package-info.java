/**
 * Values between tasks of ours, by links of {@code net} instead of calls. Start with {@link dev.oxbow.cluster.link.Links},
 * then {@code Line}, {@code Asking} and {@code Serving}.
 *
 * <p>A link is dialled when a task first wants a value of another, by the one who wants, and carries its wants one way and
 * what the other has the other way: TCP, under TLS where the cluster has certificates, and between processes of one host a
 * ring of shared memory beside it, for large contents. It belongs to one life of each of the two tasks.
 *
 * <p>What holds: nothing is sent that was not wanted. The note of a large value comes before its content, so memory of its
 * size waits for it and nothing else is held. Contents come in pieces, small values go between them. A want that is given up
 * is told to the other side, whose pieces are dropped until it has heard. When a link is lost, all that is wanted by it ends
 * with an error that names the task, and the next want dials again.
 *
 * <p>One thread moves all links of a task; what it moves are state machines without threads and clocks, which tests run on
 * the simulated network.
 */
package dev.oxbow.cluster.link;
