/**
 * NVIDIA's cards as devices. Start with {@link dev.oxbow.cuda.CudaDevices}, which finds them, and {@code CudaDevice}, which
 * says what runs there.
 *
 * <p>Everything is called by foreign functions: the driver, NVRTC, which compiles kernels from CUDA C, cuBLASLt for products, and,
 * where they are there, cuDNN for convolutions and attention and NCCL between cards of several processes.
 * Nothing of NVIDIA's is shipped or downloaded; {@code Libraries} looks for it in {@code -Doxbow.cuda.path},
 * {@code CUDA_HOME}, the loader's path and the folders of Python's packages. Where something is missing there is one sentence in
 * the log, and no device.
 *
 * <p>Kernels return when their work stands in the card's one stream; only what leaves the card waits. Elementwise ops,
 * reductions, rows and steps of optimizers are written down by {@code kernels.expr.cuda} from the formulas that the CPU runs.
 * An op without a kernel runs on the host between two copies.
 */
package dev.oxbow.cuda;
