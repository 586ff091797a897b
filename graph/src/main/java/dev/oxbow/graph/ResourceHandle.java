package dev.oxbow.graph;

import static dev.oxbow.tensor.ErrorCode.INVALID_ARGUMENT;
import static dev.oxbow.tensor.OxbowException.require;

import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Shape;
import dev.oxbow.tensor.Tensor;
import java.util.List;

/**
 * The element of a resource tensor: a name in a container, with the resource itself once it was looked up. The types
 * say what stands behind it.
 */
public record ResourceHandle(String container, String name, Resource resource, List<TensorType> behind) {

    /** A scalar handle tensor. */
    public static Tensor tensor(String container, String name, Resource resource, List<TensorType> behind) {
        return Tensor.ofObjects(DType.RESOURCE, Shape.SCALAR, new ResourceHandle(container, name, resource, behind));
    }

    /** The element of a scalar handle tensor. */
    public static ResourceHandle of(Tensor handle) {
        require(
                handle.dtype().isObject()
                        && handle.objects().length == 1
                        && handle.objects()[0] instanceof ResourceHandle,
                INVALID_ARGUMENT,
                "needs a scalar resource handle, got %s",
                handle.describe());
        return (ResourceHandle) handle.objects()[0];
    }

    /** The resource behind a scalar handle tensor, or an error that says what it is instead. */
    public static <T> T resource(Tensor handle, Class<T> type) {
        ResourceHandle h = of(handle);
        require(
                type.isInstance(h.resource),
                INVALID_ARGUMENT,
                "Trying to access resource %s of kind %s where a %s is needed",
                h.name,
                h.resource == null ? "none" : h.resource.kind(),
                type.getSimpleName());
        return type.cast(h.resource);
    }
}
