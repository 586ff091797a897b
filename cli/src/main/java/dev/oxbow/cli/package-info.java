/**
 * The commands of {@code oxbow}. Start with {@link dev.oxbow.cli.Main}. A command writes to the writer of its command
 * line only, says its usage and exit status in its Javadoc line, and turns an error into one line.
 */
package dev.oxbow.cli;
