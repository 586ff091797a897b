/**
 * Queues, barriers, accumulators, staging areas and maps, locks. Start with {@code Queues} and {@link
 * dev.oxbow.ops.queue.QueueDequeueV2}. No thread waits: an op that has to is put aside and completed by whoever makes
 * room, and the end of its step takes it back ({@code WaitingResource}).
 */
package dev.oxbow.ops.queue;
