"""GPT-2 and ResNet-50: products in bf16, parameters and optimizer in f32."""

import torch
import torch.nn.functional as F

from arrays import constant, normal, whole
from ways import Compiler, Way


class Trained:
    """Forward and backward compiled, then PyTorch's fused optimizer."""

    def step(self, way):
        optimizer = self.prepare(way)
        for group in optimizer.param_groups:
            for p in group["params"]:
                torch._dynamo.mark_static_address(p)
        loss = Compiler.of(lambda: self.loss(), way)

        def run():
            value = loss()
            value.backward()
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            return value.detach()

        return run


class Gpt2(Trained):
    """124 million parameters, 32 texts of 1,024; the residual stream and norms are f32, or bf16."""

    WIDTH, HEADS, WORDS = 768, 12, 50304
    ways = [
        Way("compiled", False, attention="cudnn"),
        Way("compiled", True, attention="cudnn"),
        Way("tuned", True, attention="cudnn"),
    ]

    def __init__(self, low=False, layers=12, batch=32, time=1024):
        self.low, self.layers, self.batch, self.time = low, layers, batch, time

    def prepare(self, way):
        d, all = self.WIDTH, {}
        all["wte"], all["wpe"] = normal("gpt2.wte", 0.02, self.WORDS, d), normal("gpt2.wpe", 0.02, self.time, d)
        small = 0.02 / (2 * self.layers) ** 0.5
        products = {"attn.c_attn": (d, 3 * d, 0.02), "attn.c_proj": (d, d, small), "mlp.c_fc": (d, 4 * d, 0.02), "mlp.c_proj": (4 * d, d, small)}
        norms = [f"h.{i}.ln_{k}" for i in range(self.layers) for k in (1, 2)] + ["ln_f"]
        for name in norms:
            all[name + ".weight"], all[name + ".bias"] = constant(1, d), constant(0, d)
        for i in range(self.layers):
            for product, (size_in, size_out, deviation) in products.items():
                name = f"h.{i}.{product}"
                all[name + ".weight"] = normal(f"gpt2.{name}.weight", deviation, size_in, size_out).t().contiguous()
                all[name + ".bias"] = constant(0, size_out)
        self.p = {name: torch.nn.Parameter(t) for name, t in all.items()}
        self.x, self.y = (whole(f"gpt2.{a}", self.WORDS, self.batch, self.time) for a in "xy")
        self.places = torch.arange(self.time, device=self.x.device)
        return torch.optim.AdamW(self.p.values(), lr=3e-4, fused=True, capturable=self.x.is_cuda)

    def weight(self, name):
        return self.p[name].bfloat16() if self.low else self.p[name]

    def norm(self, h, name):
        return F.layer_norm(h, (self.WIDTH,), self.weight(name + ".weight"), self.weight(name + ".bias"))

    def dense(self, h, name):
        return F.linear(h, self.weight(name + ".weight"), self.weight(name + ".bias"))

    def attention(self, h, name):
        shape = (self.batch, self.time, self.HEADS, self.WIDTH // self.HEADS)
        q, k, v = (t.view(shape).transpose(1, 2) for t in self.dense(h, name + ".c_attn").split(self.WIDTH, 2))
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.dense(mixed.transpose(1, 2).reshape(self.batch, self.time, self.WIDTH), name + ".c_proj")

    def loss(self):
        with torch.autocast(self.x.device.type, dtype=torch.bfloat16, enabled=not self.low):
            h = F.embedding(self.x, self.p["wte"]) + F.embedding(self.places, self.p["wpe"])
            if self.low:
                h = h.bfloat16()
            for i in range(self.layers):
                h = h + self.attention(self.norm(h, f"h.{i}.ln_1"), f"h.{i}.attn")
                wide = F.gelu(self.dense(self.norm(h, f"h.{i}.ln_2"), f"h.{i}.mlp.c_fc"), approximate="tanh")
                h = h + self.dense(wide, f"h.{i}.mlp.c_proj")
            words = F.linear(self.norm(h, "ln_f"), self.weight("wte"))
            return F.cross_entropy(words.flatten(0, 1).float(), self.y.flatten())


class ResNet50(Trained):
    """torchvision's model with channels last."""

    ways = [Way("compiled", False), Way("tuned", False), Way("combined", False), Way("tuned")]

    def __init__(self, batch=256, size=224):
        self.batch, self.size = batch, size

    def prepare(self, way):
        from torchvision.models import resnet50

        self.x = normal("resnet50.x", 1, self.batch, 3, self.size, self.size, dtype=torch.bfloat16)
        self.x, self.y = self.x.to(memory_format=torch.channels_last), whole("resnet50.y", 1000, self.batch)
        model = resnet50().to(self.x.device)
        with torch.no_grad():
            for name, p in model.named_parameters():
                if p.dim() == 1:
                    p.fill_(float(name.endswith("weight")))
                else:
                    outputs = p[:, 0].numel()
                    p.copy_(normal("resnet50." + name, (2 / outputs) ** 0.5 if p.dim() == 4 else 0.01, *p.shape))
        self.model = model.to(memory_format=torch.channels_last)
        return torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9, fused=True)

    def loss(self):
        with torch.autocast(self.x.device.type, dtype=torch.bfloat16):
            return F.cross_entropy(self.model(self.x), self.y)
