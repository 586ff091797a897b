package dev.oxbow.ops.flow;

import dev.oxbow.ops.GradientContext;
import dev.oxbow.ops.Value;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;

/** The array that one sweep adds the gradients of an array's elements up in, by ops of the version that its handle is of. */
record GradientArray(Value handle, Value flow, Version version) {
    enum Version {
        REF,
        STRING,
        RESOURCE
    }

    /** Of the array that is input 0, to be used once {@code flow} is there. */
    static GradientArray of(GradientContext g, Value flow) {
        var type = g.node().input(0).type();
        if (type.dtype() == DType.RESOURCE) {
            var both = Value.applyAll(new TensorArrayGradV3(g.sweep()), g.input(0), flow);
            return new GradientArray(both.get(0), both.get(1), Version.RESOURCE);
        }
        return type.isRef()
                ? new GradientArray(Value.apply(new TensorArrayGrad(g.sweep()), g.input(0), flow), flow, Version.REF)
                : new GradientArray(
                        Value.apply(new TensorArrayGradV2(g.sweep()), g.input(0), flow), flow, Version.STRING);
    }

    Value read(Value index, DType dtype) {
        return Value.apply(
                switch (version) {
                    case REF -> new TensorArrayRead(dtype);
                    case STRING -> new TensorArrayReadV2(dtype);
                    case RESOURCE -> new TensorArrayReadV3(dtype);
                },
                handle,
                index,
                flow);
    }

    Value write(Value index, Value value) {
        return Value.apply(
                switch (version) {
                    case REF -> new TensorArrayWrite();
                    case STRING -> new TensorArrayWriteV2();
                    case RESOURCE -> new TensorArrayWriteV3();
                },
                handle,
                index,
                value,
                flow);
    }

    Value gather(Value indices, DType dtype) {
        return Value.apply(
                switch (version) {
                    case REF -> new TensorArrayGather(dtype, Shape.UNKNOWN);
                    case STRING -> new TensorArrayGatherV2(dtype, Shape.UNKNOWN);
                    case RESOURCE -> new TensorArrayGatherV3(dtype, Shape.UNKNOWN);
                },
                handle,
                indices,
                flow);
    }

    Value scatter(Value indices, Value rows) {
        return Value.apply(
                switch (version) {
                    case REF -> new TensorArrayScatter();
                    case STRING -> new TensorArrayScatterV2();
                    case RESOURCE -> new TensorArrayScatterV3();
                },
                handle,
                indices,
                rows,
                flow);
    }

    Value concat(DType dtype) {
        return Value.applyAll(
                        switch (version) {
                            case REF -> new TensorArrayConcat(dtype, Shape.UNKNOWN);
                            case STRING -> new TensorArrayConcatV2(dtype, Shape.UNKNOWN);
                            case RESOURCE -> new TensorArrayConcatV3(dtype, Shape.UNKNOWN);
                        },
                        handle,
                        flow)
                .get(0);
    }

    Value split(Value value, Value lengths) {
        return Value.apply(
                switch (version) {
                    case REF -> new TensorArraySplit();
                    case STRING -> new TensorArraySplitV2();
                    case RESOURCE -> new TensorArraySplitV3();
                },
                handle,
                value,
                lengths,
                flow);
    }
}
