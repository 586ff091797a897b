/**
 * Event files, which TensorBoard shows, and the values in them. Start with {@link dev.oxbow.wire.event.EventFile} and {@link
 * dev.oxbow.wire.event.Summaries}. A file grows by whole records, so that it can be read while it is written.
 */
package dev.oxbow.wire.event;
