/**
 * What a model is: ops, nodes, graphs and functions, and how they come from elsewhere and go there. Start with {@link
 * dev.oxbow.graph.Op} and {@link dev.oxbow.graph.Graph}.
 *
 * <p>An op is a record with a {@link dev.oxbow.graph.Signature}; its components are the attributes that do not follow
 * from the inputs. {@code infer} is called when a node is made, with what is known then, and again before the kernel
 * runs, with every shape and value at hand. What a kernel relies on is demanded there, by the checks of {@link
 * dev.oxbow.graph.InferenceContext}, and holds when it runs; it looks only at values, and at variables, which may change
 * at any time. Outputs of known shape are allocated before it; {@code suppliesOutputs} says that a kernel gives its own.
 *
 * <p>A kernel borrows its inputs. {@code KernelContext.keep} is the one way to hold one beyond the step: shared where
 * its memory is counted, copied where a plan lent it. {@code defer} hands out a completion; waits listen to the step's
 * {@link dev.oxbow.graph.Cancellation}. A kernel that computes is never interrupted.
 *
 * <p>Graphs from outside: what breaks a signature is refused with the graph. A node at which only inference fails stays
 * in it as {@code core.Invalid}, and its error belongs to the runs that need it. {@link dev.oxbow.graph.Limits} bound
 * what few bytes can ask for; they belong to the function library, which a graph shares with its functions and the
 * products of passes. An extension that fails leaves nothing behind. Ops come from {@link dev.oxbow.graph.OpProvider}s
 * found by ServiceLoader; a class is loaded when its op is first used.
 *
 * <p>A {@link dev.oxbow.graph.Variable} serves both of TensorFlow's forms. A reference is a handle that is dereferenced
 * when its consumer runs; a read shares memory, an update copies while readers hold it.
 *
 * {@snippet :
 * Graph graph = new Graph();
 * Node x = graph.add(Ops.named("Placeholder", Map.of("dtype", DType.F32, "shape", Shape.of(2))), "x", List.of());
 * Node y = graph.add(Ops.named("Neg", Map.of()), List.of(x.edge(0)));
 * Edge value = y.edge(0);
 * TensorType type = value.type(); // f32[2], known at once
 * try (var scope = graph.scope("layer"); var device = graph.device("cpu:0")) {
 *     graph.add(new NodeSpec("twice", y.op(), List.of(value)).withControls(List.of(x)));
 * }
 * IO.print(graph.listing());
 * }
 *
 * {@snippet :
 * // an op is a record; its components are its attributes
 * @Signature("Shift(x: T) -> (y: T) {by: float; T: type in [FLOAT]}")
 * record Shift(float by) implements Elementwise, Reshaped {
 *     public List<TensorType> infer(InferenceContext c) {
 *         return List.of(c.input(0));
 *     }
 *
 *     public List<Expr> expressions(List<Expr> inputs) {
 *         return List.of(inputs.get(0).plus(inputs.get(0).literal(by)));
 *     }
 *
 *     public Kernel cpu() {
 *         return (KernelContext c) -> {
 *             for (long i = 0; i < c.input(0).size(); i++) c.output(0).set(i, c.input(0).getDouble(i) + by);
 *         };
 *     }
 *
 *     public Pieces cut(InferenceContext c, List<TensorType> outputs, int axis) {
 *         return Pieces.along(axis, outputs, axis); // any part of it needs the same part of x
 *     }
 * }
 *
 * interface Reshaped extends Op {}
 *
 * record Shifts() implements OpProvider {
 *     public List<String> ops() {
 *         return List.of("com.example.Shift");
 *     }
 * }
 * }
 *
 * {@snippet :
 * // what a program knows of its ops
 * OpRegistry registry = OpRegistry.get();
 * OpDefinition add = registry.definition("AddV2");
 * OpSignature signature = add.signature();
 * IO.println(signature.inputs() + " of " + registry.names().size() + " ops");
 * boolean fuses = Elementwise.class.isAssignableFrom(add.type());
 * boolean folds = Reducing.class.isAssignableFrom(registry.definition("Sum").type());
 * boolean moves = Moving.class.isAssignableFrom(registry.definition("Transpose").type());
 * boolean sums = SumOfProducts.class.isAssignableFrom(registry.definition("MatMul").type());
 * boolean rows = RowWise.class.isAssignableFrom(registry.definition("Softmax").type());
 * boolean sets = Updating.class.isAssignableFrom(registry.definition("ResourceApplyAdam").type());
 * boolean absorbs = Absorbing.class.isAssignableFrom(registry.definition("AddN").type());
 * boolean places = PlacesInputs.class.isAssignableFrom(add.type()) || Expanding.class.isAssignableFrom(add.type());
 * List<Tensor> three = Evaluation.run(add.create(Map.of()), "three", List.of(Tensor.scalar(1f), Tensor.scalar(2f)));
 * }
 *
 * {@snippet :
 * // a stage of compilation of one's own, for SessionOptions.withRewrite
 * record Count() implements Rewrite {
 *     public String name() {
 *         return "count";
 *     }
 *
 *     public String purpose() {
 *         return "say how many nodes there are";
 *     }
 *
 *     public Subgraph run(Subgraph s, Services services) {
 *         IO.println(s.graph().size() + " nodes, " + s.roots().size() + " wanted");
 *         return s;
 *     }
 * }
 * }
 *
 * {@snippet :
 * // functions, with limits on what a graph from outside may ask for
 * FunctionLibrary library = new FunctionLibrary(Limits.defaults().withCallDepth(100));
 * Graph graph = new Graph(library);
 * Function twice = Ops.in(graph)
 *         .function("twice", List.of(new TensorType(DType.F32, Shape.of(2))), x -> List.of(x.get(0).plus(x.get(0))));
 * FunctionRef ref = new FunctionRef(twice.name());
 * FunctionDefinition given = library.definitions().get("read"); // one that a file brought; null here
 * }
 *
 * {@snippet :
 * // kernels that wait, keep things, and call functions
 * static void wait(KernelContext c, Cancellation step, Completion done) {
 *     long number = step.register(why -> done.fail(why));
 *     if (step.unregister(number)) done.done();
 * }
 *
 * static Variable variable(Containers containers) {
 *     Variable v = containers.lookupOrCreate(
 *             Containers.DEFAULT, "v", Variable.class, () -> new Variable("v", DType.F32, Shape.SCALAR));
 *     Resource r = v;
 *     Tensor handle = ResourceHandle.tensor(Containers.DEFAULT, "v", r, List.of());
 *     return ResourceHandle.resource(handle, Variable.class);
 * }
 *
 * static void call(FunctionCaller caller, KernelContext c) {
 *     KernelContext quiet = new DelegatingContext(c);
 *     caller.call(new FunctionRef("twice"), List.of(quiet.input(0)), (results, error) -> {});
 * }
 *
 * static void meet(Rendezvous rendezvous, RendezvousKey key) {
 *     rendezvous.receive(key.toString(), (value, error) -> IO.println(value));
 *     rendezvous.send(key.toString(), Tensor.scalar(1f));
 * }
 *
 * static void drive(Progress progress, Turns turns, NodeInference c) {
 *     Turns.Turn turn = turns.turn(List.of(c.node()));
 *     progress.work(turn::isCurrent, 1_000_000);
 * }
 *
 * static Tracer tracer() {
 *     return (device, nodes, start, nanos) -> IO.println(nodes + " took " + nanos + " ns");
 * }
 * }
 */
package dev.oxbow.graph;
