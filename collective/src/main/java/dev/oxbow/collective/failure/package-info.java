/**
 * How the ranks of a group come to one error when a call can not end, and to a new group of those who are left. Start with
 * {@link dev.oxbow.collective.failure.Inquest}: the news floods, the survivors tell a judge their
 * {@link dev.oxbow.collective.failure.Status}, and all take its {@link dev.oxbow.collective.failure.Verdict} word by word.
 * Notes are all that travels; every wait has an end, and the group itself is seen as
 * {@link dev.oxbow.collective.failure.Members} only.
 */
package dev.oxbow.collective.failure;
