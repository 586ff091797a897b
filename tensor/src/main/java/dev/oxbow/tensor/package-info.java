/**
 * Values: a dtype, a shape and memory. Start with {@link dev.oxbow.tensor.Tensor}.
 *
 * <p>Kernels hold a counted reference and work on addresses; nothing that users do reaches memory which is not the
 * tensor's. Readers and writers check the index and whether the tensor was closed, and keep it reachable until they are
 * done. Views that users make are closed by themselves; {@code view} and {@code viewRows} give kernels counted ones. A
 * tensor that is forgotten comes back through a Cleaner, and a collection is asked for when what users hold has doubled
 * and once before an allocation fails ({@code Guard}).
 *
 * <p>Memory comes from a {@link dev.oxbow.tensor.MemoryPool} with a budget, in a {@link dev.oxbow.tensor.Space}. What
 * the host cannot address has no {@code address()}, only a {@code place()} for kernels of its space. All pools together
 * take at most nine tenths of the memory of the machine or container, or {@code -Doxbow.memory=BYTES}. Where native
 * access is denied, {@code Memory.ALL} is a reserve from which all memory is taken, and an address is an offset in it;
 * kernels do not notice.
 *
 * <p>Errors are {@link dev.oxbow.tensor.OxbowException}s with TensorFlow's codes.
 *
 * {@snippet :
 * Shape shape = Shape.of(2, 2);
 * try (Tensor points = Tensor.of(shape, 3f, 4f, 6f, 8f)) {
 *     float[] copy = points.floats();
 *     short half = Half.toBf16(copy[0]);
 *     IO.println(points + " begins with " + Half.fromBf16(half));
 * }
 * }
 *
 * {@snippet :
 * // memory by hand, as kernels see it
 * MemoryPool pool = new MemoryPool("mine", 1 << 20);
 * long bytes = Counts.times(1024, Float.BYTES);
 * Buffer buffer = pool.allocate(bytes, "an example"), copy = pool.allocate(bytes, "its copy");
 * Memory.zero(buffer.address(), bytes);
 * Memory.putFloat(buffer.address(), 2.5f);
 * Streaming.copy(buffer.address(), copy.address(), bytes);
 * boolean isWhole = bytes % Pages.size() == 0;
 * Space space = pool.space(); // the host's; a card has its own
 * }
 *
 * {@snippet :
 * // a value that several hold, and that goes when the last one lets go
 * record Shared(List<Tensor> values) implements Counted {
 *     public void retain() {}
 *
 *     public void release() {
 *         new Results(values).close();
 *     }
 * }
 * }
 */
package dev.oxbow.tensor;
