/**
 * TensorFlow's own collective ops, whose members are devices that find each other by keys. Start with
 * {@link dev.oxbow.collective.keyed.Meeting}, which a server gives to its sessions.
 *
 * <p>A group is complete when as many devices as its size have come to the leader of the cluster; a round of an instance
 * begins when all of a group have, with the same op, dtype and shape, wherever their steps were begun. From then on they
 * exchange by the algorithms that ranks of a job use, as values of the round.
 *
 * <p>Who waits does so until a deadline, and the error names who has not come, or who does not send.
 */
package dev.oxbow.collective.keyed;
