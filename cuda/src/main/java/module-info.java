/** CUDA cards as devices: driver, NVRTC, cuBLASLt, cuDNN and NCCL by foreign-function calls; optional, nothing requires it. */
module dev.oxbow.cuda {
    requires dev.oxbow.ops;
    requires dev.oxbow.runtime;
    requires org.slf4j;

    exports dev.oxbow.cuda;

    provides dev.oxbow.runtime.DeviceProvider with
            dev.oxbow.cuda.CudaDevices;
}
