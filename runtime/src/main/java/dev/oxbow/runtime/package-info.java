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
 *
 * {@snippet :
 * Graph graph = new Graph();
 * Value x = Ops.in(graph).placeholder("x", DType.F32, Shape.of(-1));
 * EngineOptions two = EngineOptions.defaults().withCpuDevices(2).withThreads(2);
 * try (Engine engine = new Engine(two);
 *         Session session = Session.open(graph, engine, SessionOptions.defaults().withCheckNumerics(true));
 *         Tensor values = Tensor.of(Shape.of(2), 1f, 2f)) {
 *     RunOptions soon = RunOptions.timeout(Duration.ofSeconds(5));
 *     IO.println(session.feed(x.edge(), values).fetch(x.exp().edge()).options(soon).run());
 *     for (Device device : engine.devices()) {
 *         DeviceSpec spec = device.spec();
 *         IO.println(spec.type() + " " + DeviceName.parse(spec.name()).index() + " of " + spec.memoryInBytes());
 *     }
 * }
 * }
 *
 * {@snippet :
 * // several calls of one step, each with what is known by then
 * static List<Tensor> later(Session session, Tensor x) {
 *     try (PartialRun run = session.partialRun(List.of("x:0"), List.of("y:0"), List.of())) {
 *         return run.run(Map.of("x:0", x), List.of("y:0"), Duration.ofSeconds(5));
 *     }
 * }
 *
 * // devices and sessions of one's own are found by ServiceLoader
 * record NoDevices() implements DeviceProvider {
 *     public List<Device> devices(EngineOptions options, Width width) {
 *         return width.threads() > 1000 ? List.of(new CpuDevice("cpu:9", 9, 1 << 20, width)) : List.of();
 *     }
 * }
 *
 * record Elsewhere() implements SessionProvider {
 *     public String scheme() {
 *         return "elsewhere";
 *     }
 *
 *     public Session open(Request request) {
 *         return Session.open(request.graph(), request.options());
 *     }
 * }
 *
 * // what a device may be asked for
 * static Kernel kernel(Device device, Op op, Formula fused) {
 *     Order order = device.order();
 *     if (order != null) order.mark().await();
 *     return fused != null ? device.fused(fused) : device.supports(op) ? device.kernel(op) : HostKernel.of(op);
 * }
 *
 * // a rewrite that is chosen for each run, as plans do
 * static SessionOptions rewritten(RunRewrite plan) {
 *     Width share = WorkerPool.ofProcess().share(2);
 *     return SessionOptions.defaults().withRunRewrite(plan);
 * }
 *
 * static StepContext step(Rendezvous rendezvous, Tracer tracer) {
 *     return new StepContext(StepContext.nextId(), "", new Cancellation(), rendezvous, tracer);
 * }
 * }
 */
package dev.oxbow.runtime;
