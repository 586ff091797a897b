/**
 * What users see: sessions, options, engines and devices. Start with {@link dev.oxbow.runtime.Session}.
 *
 * <p>It stands below the other packages, which depend on it in this order: {@code compile} makes programs of graphs,
 * {@code plan} says how their regions run for given shapes, {@code run} executes them. {@code run.LocalSessions} is
 * found by ServiceLoader, as are sessions of other schemes and devices of other kinds.
 *
 * <p>An engine has devices and a share of the one pool of threads of the process. A device has a spec, memory in a
 * space, containers and a budget of its own. One with an {@link dev.oxbow.runtime.Order} works later, in the order in
 * which its kernels were called: only what leaves it waits. An op without a kernel there runs on the host between two
 * copies ({@link dev.oxbow.runtime.HostKernel}).
 */
package dev.oxbow.runtime;
