package dev.oxbow.ops.queue;

import dev.oxbow.graph.InferenceContext;
import dev.oxbow.graph.Kernel;
import dev.oxbow.graph.KernelContext;
import dev.oxbow.graph.Op;
import dev.oxbow.graph.TensorType;
import dev.oxbow.ops.NotDifferentiable;
import dev.oxbow.ops.Stateful.Asking;
import dev.oxbow.ops.Stateful.Changing;
import dev.oxbow.ops.Stateful.Putting;
import dev.oxbow.ops.Stateful.Taking;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import java.util.ArrayList;
import java.util.List;

/** What ops on staging maps share: those of maps that keep their keys in order, and of those that do not. */
final class StagingMaps {
    private StagingMaps() {}

    /** Finds the map of an op. */
    interface Access extends Op {
        long capacity();

        long memoryLimit();

        List<DType> dtypes();

        String container();

        String sharedName();

        /** Whether the least key comes first. */
        default boolean isOrdered() {
            return false;
        }

        default StagingMap map(KernelContext c) {
            return StagingMap.of(c, container(), sharedName(), isOrdered(), dtypes().size(), capacity(), memoryLimit());
        }
    }

    /** Drops all tuples. */
    interface Clear extends Access, NotDifferentiable, Changing {
        @Override
        default List<TensorType> infer(InferenceContext c) {
            return List.of();
        }

        @Override
        default Kernel cpu() {
            return c -> map(c).clear();
        }
    }

    /** The number of tuples of which components are missing. */
    interface IncompleteSize extends Access, NotDifferentiable, Asking {
        @Override
        default List<TensorType> infer(InferenceContext c) {
            return List.of(new TensorType(DType.I32, Shape.SCALAR));
        }

        @Override
        default Kernel cpu() {
            return c -> c.output(0).setLong(0, map(c).incompleteSize());
        }
    }

    /** Looks at a tuple, once it is there. */
    interface Peek extends Access, NotDifferentiable, Taking {
        @Override
        default List<TensorType> infer(InferenceContext c) {
            c.scalar(0);
            return dtypes().stream().map(TensorType::of).toList();
        }

        @Override
        default Kernel cpu() {
            return c -> map(c).get(c, dtypes(), false);
        }
    }

    /** The number of tuples. */
    interface Size extends Access, NotDifferentiable, Asking {
        @Override
        default List<TensorType> infer(InferenceContext c) {
            return List.of(new TensorType(DType.I32, Shape.SCALAR));
        }

        @Override
        default Kernel cpu() {
            return c -> c.output(0).setLong(0, map(c).size());
        }
    }

    /** Puts components of a tuple down under a key, once there is room. */
    interface Stage extends Access, NotDifferentiable, Putting {
        @Override
        default List<TensorType> infer(InferenceContext c) {
            c.scalar(0);
            return List.of();
        }

        @Override
        default Kernel cpu() {
            return c -> map(c).put(c);
        }
    }

    /** Picks a tuple up, once it is there. */
    interface Unstage extends Access, NotDifferentiable, Taking {
        @Override
        default List<TensorType> infer(InferenceContext c) {
            c.scalar(0);
            return dtypes().stream().map(TensorType::of).toList();
        }

        @Override
        default Kernel cpu() {
            return c -> map(c).get(c, dtypes(), true);
        }
    }

    /** Picks any complete tuple up, once there is one. */
    interface UnstageNoKey extends Access, NotDifferentiable, Taking {
        @Override
        default List<TensorType> infer(InferenceContext c) {
            List<TensorType> out = new ArrayList<>(List.of(new TensorType(DType.I64, Shape.SCALAR)));
            dtypes().forEach(d -> out.add(TensorType.of(d)));
            return out;
        }

        @Override
        default Kernel cpu() {
            return c -> map(c).getAny(c, dtypes());
        }
    }
}
