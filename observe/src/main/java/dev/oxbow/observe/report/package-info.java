/**
 * A run as one file that needs nothing else: {@link dev.oxbow.observe.report.Report}. {@code Contents} is what it tells; a page of
 * HTML and the picture of a {@code Sheet} show it, with the same {@code Figures} drawn by one {@code Pen} or another.
 */
package dev.oxbow.observe.report;
