"""Ways in which PyTorch can run a step: eager or compiled, as plain calls or as one CUDA graph."""

import contextlib
import dataclasses
import os
import tempfile
import types

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

ATTENTION = {"cudnn": SDPBackend.CUDNN_ATTENTION, "flash": SDPBackend.FLASH_ATTENTION}

# Choosing among Triton's products takes minutes and, in f32, ends slower than cuBLAS.
TUNED = {"max_autotune": True, "max_autotune_gemm_backends": "ATEN", "max_autotune_conv_backends": "ATEN"}
COMPILERS = {
    "eager": None,
    "compiled": {},
    "tuned": TUNED,
    "combined": TUNED | {"combo_kernels": True, "triton.enable_pdl": True},
}
WARM_STEPS = 3


@dataclasses.dataclass(frozen=True)
class Way:
    """How a step is run. The form is a word of the workload's own."""

    compiler: str = "compiled"
    graph: bool = True
    form: str = ""
    attention: str = ""

    @property
    def name(self):
        words = [self.compiler, self.form, self.attention, "graph" if self.graph else ""]
        return ", ".join(w for w in words if w)

    @contextlib.contextmanager
    def attending(self):
        with sdpa_kernel(ATTENTION[self.attention]) if self.attention else contextlib.nullcontext():
            yield


class Compiler:
    """Compiles functions for a way, each with empty caches, so that the time to its first call is all of it."""

    made = 0

    @classmethod
    def of(cls, function, way):
        options = COMPILERS[way.compiler]
        if options is None:
            return function
        from torch._inductor import config

        known = config.get_config_copy()
        cls.made += 1
        folder = tempfile.mkdtemp(prefix="oxbow-torch-")
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = folder
        os.environ["TRITON_CACHE_DIR"] = os.path.join(folder, "triton")
        # What was compiled is kept by the code of a function: a second way would get the first one's.
        code = function.__code__.replace(co_name=f"step{cls.made}")
        own = types.FunctionType(code, function.__globals__, code.co_name, function.__defaults__, function.__closure__)
        return torch.compile(own, fullgraph=True, dynamic=False, options={k: v for k, v in options.items() if k in known})


def captured(step, stream):
    """One CUDA graph of a step; its result is a tensor that every run overwrites."""
    for _ in range(WARM_STEPS):
        step()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        result = step()

    def run():
        graph.replay()
        return result

    return run
