package dev.oxbow.natives;

import dev.oxbow.kernels.NativeLibrary.Convolution;
import dev.oxbow.kernels.NativeLibrary.ConvolutionShape;
import dev.oxbow.kernels.NativeLibrary.Direction;
import dev.oxbow.tensor.Memory;
import dev.oxbow.tensor.OxbowException;
import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A convolution of oneDNN. */
final class DnnConvolution implements Convolution {

    /*
     * Images stay in Oxbow's layout; oneDNN chooses the filter's, and the caller reorders it once for all pieces of a
     * batch. With a filter in a plain layout only a reference kernel is left, a hundred times slower; a shape for which
     * that is so anyway has no convolution here. Measured on AVX-512, four images 14 x 14 x 32 to 64 by 5 x 5, one
     * thread: 0.50, 0.41 and 0.41 ms for output, input and filter gradient, and 0.75, 0.70 and 0.81 with images in
     * oneDNN's own blocks, reorders included; with AVX2 alone 1.00, 0.99 and 0.76 against 0.71, 0.73 and 0.84.
     */

    private static final int CACHE_SIZE = 512;

    private record Key(ConvolutionShape shape, Direction direction) {}

    private static final Map<Key, Optional<Convolution>> CACHE =
            Collections.synchronizedMap(new LinkedHashMap<>(64, 0.75f, true) {
                private static final long serialVersionUID = 1;

                @Override
                protected boolean removeEldestEntry(Map.Entry<Key, Optional<Convolution>> eldest) {
                    return size() > CACHE_SIZE;
                }
            });

    private final Primitive primitive;
    private final Primitive pack;
    private final Primitive unpack;
    private final long filterBytes;
    private final long scratchBytes;

    static Optional<Convolution> of(ConvolutionShape shape, Direction direction) {
        return CACHE.computeIfAbsent(new Key(shape, direction), DnnConvolution::prepare);
    }

    private static Optional<Convolution> prepare(Key key) {
        OneDnn.useOneThread();
        try {
            DnnConvolution c = new DnnConvolution(key.shape, key.direction);
            if (c.primitive.implementation().startsWith("ref")) return Optional.empty();
            return Optional.of(key.direction == Direction.OUTPUT ? PaddedConvolution.faster(key.shape, c) : c);
        } catch (OxbowException unsupported) {
            return Optional.empty();
        }
    }

    static DnnConvolution output(ConvolutionShape s) {
        return new DnnConvolution(s, Direction.OUTPUT);
    }

    private DnnConvolution(ConvolutionShape s, Direction direction) {
        int first = isTrivial(s, 0) ? 1 : 0;
        List<Long> xDims = images(s.batch(), s.channels(), s.in(), first);
        List<Long> yDims = images(s.batch(), s.outChannels(), s.out(), first);
        List<Long> wDims = new ArrayList<>(), wStrides = new ArrayList<>();
        filter(s, first, wDims, wStrides);
        long x = Dnn.strided(xDims, strides(xDims, s.channelsFirst()));
        long y = Dnn.strided(yDims, strides(yDims, s.channelsFirst()));
        long w = Dnn.strided(wDims, wStrides), anyW = Dnn.any(wDims);
        Dnn.Geometry g = geometry(s, first);
        long forward = Dnn.forward(x, anyW, y, g);
        int xArgument = direction == Direction.INPUT_GRADIENT ? Dnn.DIFF_SRC : Dnn.SRC;
        int yArgument = direction == Direction.OUTPUT ? Dnn.DST : Dnn.DIFF_DST;
        int wArgument = direction == Direction.FILTER_GRADIENT ? Dnn.DIFF_WEIGHTS : Dnn.WEIGHTS;
        long description = switch (direction) {
            case OUTPUT -> forward;
            case INPUT_GRADIENT -> Dnn.backwardData(x, anyW, y, g, forward);
            case FILTER_GRADIENT -> Dnn.backwardWeights(x, anyW, y, g, forward);
        };
        primitive = new Primitive(description, xArgument, wArgument, yArgument);
        if (description != forward) Dnn.destroy("primitive_desc", forward);
        long ownW = primitive.layout(wArgument);
        pack = reorder(w, ownW);
        unpack = reorder(ownW, w);
        filterBytes = Dnn.bytes(ownW);
        scratchBytes = primitive.scratchBytes();
        for (long layout : new long[] {x, y, w, anyW}) Dnn.destroy("memory_desc", layout);
        Reference.reachabilityFence(primitive); // it owns the filter's layout
    }

    private static boolean isTrivial(ConvolutionShape s, int d) {
        return s.in().get(d) == 1 && s.kernel().get(d) == 1 && s.out().get(d) == 1;
    }

    private static List<Long> images(long batch, long channels, List<Long> spatial, int first) {
        List<Long> dims = new ArrayList<>(List.of(batch, channels));
        dims.addAll(spatial.subList(first, 3));
        return dims;
    }

    private static List<Long> strides(List<Long> dims, boolean channelsFirst) {
        Long[] strides = new Long[dims.size()];
        long step = channelsFirst ? 1 : dims.get(1);
        for (int d = dims.size() - 1; d >= 2; d--) {
            strides[d] = step;
            step *= dims.get(d);
        }
        strides[1] = channelsFirst ? step : 1;
        strides[0] = channelsFirst ? step * dims.get(1) : step;
        return List.of(strides);
    }

    /** Groups if several, outputs and inputs of a group, spatial dimensions; stored as (spatial, inputs, outputs). */
    private static void filter(ConvolutionShape s, int first, List<Long> dims, List<Long> strides) {
        long inputs = s.channels() / s.groups(), outputs = s.outChannels() / s.groups();
        if (s.groups() > 1) {
            dims.add(s.groups());
            strides.add(outputs);
        }
        dims.addAll(List.of(outputs, inputs));
        strides.addAll(List.of(1L, s.outChannels()));
        long step = inputs
                * s.outChannels()
                * s.kernel().get(0)
                * s.kernel().get(1)
                * s.kernel().get(2);
        for (int d = 0; d < 3; d++) {
            step /= s.kernel().get(d);
            if (d < first) continue;
            dims.add(s.kernel().get(d));
            strides.add(step);
        }
    }

    private static Dnn.Geometry geometry(ConvolutionShape s, int first) {
        List<Long> dilates = new ArrayList<>(), after = new ArrayList<>();
        for (int d = first; d < 3; d++) {
            dilates.add(s.dilation().get(d) - 1);
            after.add(after(s, d));
        }
        return new Dnn.Geometry(
                s.stride().subList(first, 3), dilates, s.before().subList(first, 3), after);
    }

    /** Zeros behind the last element of a dimension. */
    static long after(ConvolutionShape s, int d) {
        long reach = (s.out().get(d) - 1) * s.stride().get(d)
                + (s.kernel().get(d) - 1) * s.dilation().get(d)
                + 1;
        return Math.max(0, reach - s.in().get(d) - s.before().get(d));
    }

    /** Null where both layouts are the same. */
    private static Primitive reorder(long from, long to) {
        return Dnn.isSame(from, to) ? null : new Primitive(Dnn.reorder(from, to), Dnn.SRC, Dnn.DST);
    }

    @Override
    public long packedFilterBytes() {
        return filterBytes;
    }

    @Override
    public long scratchBytes() {
        return scratchBytes;
    }

    @Override
    public void packFilter(long filter, long packed) {
        if (pack == null) Memory.copy(filter, packed, filterBytes);
        else pack.run(0, filter, packed);
    }

    @Override
    public void unpackFilter(long packed, long filter) {
        if (unpack == null) Memory.copy(packed, filter, filterBytes);
        else unpack.run(0, packed, filter);
    }

    @Override
    public void run(long x, long packedFilter, long y, long scratch) {
        primitive.run(scratch, x, packedFilter, y);
    }
}
