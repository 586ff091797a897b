/**
 * The ops that passes and the executor know by class, and no others: constants, arguments, control flow, calls, sends
 * and receives.
 */
package dev.oxbow.graph.core;
