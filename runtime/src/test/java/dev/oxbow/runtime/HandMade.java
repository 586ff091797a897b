package dev.oxbow.runtime;

import dev.oxbow.graph.Containers;
import dev.oxbow.graph.Edge;
import dev.oxbow.graph.Effects;
import dev.oxbow.graph.Elementwise;
import dev.oxbow.graph.Graph;
import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Node;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.Pieces;
import dev.oxbow.graph.Reducing;
import dev.oxbow.graph.Signature;
import dev.oxbow.graph.Subgraph;
import dev.oxbow.graph.TensorType;
import dev.oxbow.graph.core.Enter;
import dev.oxbow.graph.core.Exit;
import dev.oxbow.graph.core.LoopCond;
import dev.oxbow.graph.core.Merge;
import dev.oxbow.graph.core.NextIteration;
import dev.oxbow.graph.core.Placeholder;
import dev.oxbow.graph.core.Switch;
import dev.oxbow.graph.pass.Cut;
import dev.oxbow.kernels.Parallel;
import dev.oxbow.kernels.expr.Expr;
import dev.oxbow.kernels.expr.reduce.Reduction;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.MemoryPool;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;

/** A graph written by hand, with ops of its own, since this module sees none but those of the core. */
public final class HandMade {
    public static final String TASK = "/job:localhost/replica:0/task:0";

    @Signature("HandAdd(x: T, y: T) -> (z: T) {T: type}")
    public record Add() implements Elementwise {
        @Override
        public List<TensorType> infer(InferenceContext c) {
            return List.of(c.input(0).withShape(Shape.broadcast(c.shape(0), c.shape(1))));
        }

        @Override
        public List<Expr> expressions(List<Expr> inputs) {
            return List.of(inputs.get(0).plus(inputs.get(1)));
        }

        @Override
        public Kernel cpu() {
            return c -> fill(c, i -> at(c, 0, i) + at(c, 1, i));
        }
    }

    @Signature("HandNegate(x: T) -> (y: T) {T: type}")
    public record Negate() implements Elementwise {
        @Override
        public List<TensorType> infer(InferenceContext c) {
            return List.of(c.input(0));
        }

        @Override
        public List<Expr> expressions(List<Expr> inputs) {
            return List.of(inputs.get(0).negated());
        }

        @Override
        public Kernel cpu() {
            return c -> fill(c, i -> -at(c, 0, i));
        }
    }

    /** Sums along one axis. */
    @Signature("HandSum(x: T) -> (y: T) {T: type; axis: int}")
    public record Sum(int axis) implements Reducing {
        @Override
        public List<TensorType> infer(InferenceContext c) {
            return List.of(c.input(0).withShape(c.shape(0).withoutDim(axis)));
        }

        @Override
        public Reduction.Operation operation() {
            return Reduction.Operation.SUM;
        }

        @Override
        public int[] axes(InferenceContext c) {
            return new int[] {axis};
        }

        @Override
        public Kernel cpu() {
            return c -> Reduction.of(
                            operation(), List.of(Expr.input(0, c.input(0).dtype())))
                    .run(c.parallel(), c.input(0).shape(), new int[] {axis}, new Tensor[] {c.input(0)}, new Tensor[] {
                        c.output(0)
                    });
        }
    }

    /** Hands rows on, as an op that is computed row by row and not element by element. */
    @Signature("HandRows(x: T) -> (y: T) {T: type; work: float}")
    public record Rows(float work) implements Op {
        @Override
        public List<TensorType> infer(InferenceContext c) {
            return List.of(c.input(0));
        }

        @Override
        public Kernel cpu() {
            return c -> fill(c, i -> at(c, 0, i));
        }

        @Override
        public Pieces cut(InferenceContext c, List<TensorType> outputs, int axis) {
            return axis == 0 ? Pieces.rows(outputs, 0) : null;
        }

        @Override
        public double work(InferenceContext c, List<TensorType> outputs) {
            return work;
        }
    }

    /** Its input as a vector, in the same memory. */
    @Signature("HandFlat(x: T) -> (y: T) {T: type}")
    public record Flat() implements Op {
        @Override
        public List<TensorType> infer(InferenceContext c) {
            return List.of(c.input(0)
                    .withShape(Shape.of(c.shape(0).isFullyKnown() ? c.shape(0).size() : Shape.UNKNOWN_DIM)));
        }

        @Override
        public int view() {
            return 0;
        }

        @Override
        public Kernel cpu() {
            return c -> c.forward(0, 0, Shape.of(c.input(0).size()));
        }
    }

    /** How many elements its input has. */
    @Signature("HandSize(x: T) -> (y: int64) {T: type}")
    public record Size() implements Op {
        @Override
        public List<TensorType> infer(InferenceContext c) {
            return List.of(new TensorType(DType.I64, Shape.SCALAR));
        }

        @Override
        public List<Tensor> constants(InferenceContext c) {
            return c.shape(0).isFullyKnown() ? List.of(Tensor.scalar(c.shape(0).size())) : null;
        }

        @Override
        public Kernel cpu() {
            return c -> c.output(0).setLong(0, c.input(0).size());
        }
    }

    @Signature("HandPositive(x: T) -> (y: bool) {T: type}")
    public record Positive() implements Op {
        @Override
        public List<TensorType> infer(InferenceContext c) {
            return List.of(new TensorType(DType.BOOL, Shape.SCALAR));
        }

        @Override
        public Kernel cpu() {
            return c -> c.output(0).setLong(0, c.input(0).getDouble(0) > 0 ? 1 : 0);
        }
    }

    /** May wait for what others do. */
    @Signature("HandAwait(x: T) -> (y: T) {T: type}")
    public record Await() implements Op {
        @Override
        public List<TensorType> infer(InferenceContext c) {
            return List.of(c.input(0));
        }

        @Override
        public boolean waits() {
            return true;
        }

        @Override
        public Kernel cpu() {
            return c -> fill(c, i -> at(c, 0, i));
        }
    }

    @Signature("HandDraw() -> (y: float) {seed: int; seed2: int} stateful")
    public record Draw(long seed, long seed2) implements Op {
        @Override
        public List<TensorType> infer(InferenceContext c) {
            return List.of(new TensorType(DType.F32, Shape.SCALAR));
        }

        @Override
        public Effects effects() {
            return Effects.RANDOM;
        }

        @Override
        public Kernel cpu() {
            return c -> c.output(0).set(0, seed);
        }
    }

    /** A variable of floats; only its name tells it from others. */
    @Signature("HandVariable() -> (handle: resource) {name: string; size: int} stateful")
    public record Variable(String name, long size) implements Op {
        @Override
        public List<TensorType> infer(InferenceContext c) {
            return List.of(TensorType.handle(DType.RESOURCE, new TensorType(DType.F32, Shape.of(size))));
        }

        @Override
        public Effects effects() {
            return Effects.READS;
        }

        @Override
        public Kernel cpu() {
            return c -> c.set(0, Tensor.ofObjects(DType.RESOURCE, Shape.SCALAR, name));
        }
    }

    @Signature("HandRead(handle: resource) -> (value: float) stateful")
    public record Read() implements Op {
        @Override
        public List<TensorType> infer(InferenceContext c) {
            return List.of(c.input(0).behind().getFirst());
        }

        @Override
        public Effects effects() {
            return Effects.READS;
        }

        @Override
        public Kernel cpu() {
            return c -> fill(c, i -> 0);
        }
    }

    @Signature("HandWrite(handle: resource, value: float) -> () stateful")
    public record Write() implements Op {
        @Override
        public List<TensorType> infer(InferenceContext c) {
            return List.of();
        }

        @Override
        public Effects effects() {
            return Effects.WRITES;
        }

        @Override
        public Kernel cpu() {
            return c -> {};
        }
    }

    private interface Element {
        double of(long i);
    }

    private static void fill(KernelContext c, Element e) {
        Tensor y = c.output(0);
        for (long i = 0; i < y.size(); i++) y.set(i, e.of(i));
    }

    private static double at(KernelContext c, int input, long i) {
        Tensor x = c.input(input);
        return x.getDouble(x.size() == 1 ? 0 : i);
    }

    /** A device with a kernel for Negate and for nothing else, formulas included. */
    public static final class Bare implements Device {
        public static final Kernel OWN = c -> {};

        @Override
        public DeviceSpec spec() {
            return new DeviceSpec(TASK + "/device:BARE:0", "BARE", 1, Long.MAX_VALUE);
        }

        @Override
        public MemoryPool memory() {
            return MemoryPool.shared();
        }

        @Override
        public Parallel parallel() {
            return Parallel.SERIAL;
        }

        @Override
        public Kernel kernel(Op op) {
            return op instanceof Negate ? OWN : null;
        }

        @Override
        public Kernel fused(Formula f) {
            return null;
        }

        @Override
        public Containers containers() {
            return new Containers();
        }
    }

    /** A loop of one variable: {@code while (x > 0) x = body(x)}. */
    public record Loop(Node enter, Node merge, Node cond, Node branch, Node body, Node next, Node exit) {}

    public final Graph graph = new Graph();
    private final List<Edge> feeds = new ArrayList<>();

    public static CpuDevice device(int index) {
        return device(index, Long.MAX_VALUE);
    }

    public static CpuDevice device(int index, long budget) {
        return new CpuDevice(TASK, index, budget, Parallel.SERIAL);
    }

    /** A value that is fed. */
    public Edge input(String name, long... dims) {
        Edge e = node(name, new Placeholder(DType.F32, Shape.of(dims))).edge(0);
        feeds.add(e);
        return e;
    }

    public Node node(String name, Op op, Edge... inputs) {
        return graph.add(op, name, Arrays.asList(inputs));
    }

    public Edge add(String name, Edge x, Edge y) {
        return node(name, new Add(), x, y).edge(0);
    }

    public Edge negate(String name, Edge x) {
        return node(name, new Negate(), x).edge(0);
    }

    public Edge await(String name, Edge x) {
        return node(name, new Await(), x).edge(0);
    }

    /** The nodes of a loop have names that begin with the frame's; what {@code body} makes is its body. */
    public Loop loop(String frame, Edge x, UnaryOperator<Edge> body) {
        Node enter = node(frame + "/enter", new Enter(frame, false, 10), x);
        Node merge = node(frame + "/merge", new Merge(), enter.edge(0), null);
        Node positive = node(frame + "/positive", new Positive(), merge.edge(0));
        Node cond = node(frame + "/cond", new LoopCond(), positive.edge(0));
        Node branch = node(frame + "/switch", new Switch(), merge.edge(0), cond.edge(0));
        Node made = body.apply(branch.edge(1)).node();
        Node next = node(frame + "/next", new NextIteration(), made.edge(0));
        graph.connectBack(merge, 1, next.edge(0));
        Node exit = node(frame + "/exit", new Exit(), branch.edge(0));
        return new Loop(enter, merge, cond, branch, made, next, exit);
    }

    /** All of it as a graph to be compiled, without arguments and results. */
    public Subgraph whole() {
        return new Subgraph(graph, graph.sinks());
    }

    /** What a run does that feeds all inputs. */
    public Subgraph cut(Edge... fetches) {
        return cut(List.of(fetches), List.of());
    }

    public Subgraph cut(List<Edge> fetches, List<Node> targets) {
        return Cut.run(graph, feeds, fetches, targets);
    }
}
