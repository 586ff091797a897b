/**
 * A web page that shows runs while they go on and later, served by the JDK's HTTP server. Start with {@link
 * dev.oxbow.observe.dashboard.Dashboard}; {@code Api} has what the page asks for, and the page itself is plain files among the
 * resources. It only reads the folders of runs: without the token nothing can be changed, and whatever is asked is bounded.
 */
package dev.oxbow.observe.dashboard;
