/** A run on one page that needs nothing else: {@link dev.oxbow.observe.report.Report}. */
package dev.oxbow.observe.report;
