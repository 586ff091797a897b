/**
 * Input pipelines: a {@link dev.oxbow.data.pipeline.Pipeline} says which elements an epoch has and in which order, a {@link
 * dev.oxbow.data.pipeline.Feed} computes them on threads of its own. Read {@link dev.oxbow.data.pipeline.Lazy} first: order is
 * cheap and known to every worker, work is done by the worker that needs it.
 */
package dev.oxbow.data.pipeline;
