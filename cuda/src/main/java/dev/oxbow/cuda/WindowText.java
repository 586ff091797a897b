package dev.oxbow.cuda;

import dev.oxbow.kernels.expr.cuda.CudaText;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;
import java.util.List;
import java.util.function.Function;

/** Kernels that slide a window over images. All of them gather: each thread makes one element, so sums have one order. */
final class WindowText {
    static final int THREADS = 256;

    private WindowText() {}

    private record Key(String entry, DType dtype) {}

    /** One of the kernels below over a window, a thread for each of {@code elements}. */
    static void launch(
            Card card,
            String entry,
            Function<DType, String> text,
            Geometry g,
            long elements,
            List<Tensor> inputs,
            Tensor output) {
        Spans spans = new Spans().writes(output);
        long[] places = new long[inputs.size() + 1];
        for (int i = 0; i < inputs.size(); i++) {
            spans.reads(inputs.get(i));
            places[i] = inputs.get(i).place();
        }
        places[inputs.size()] = output.place();
        card.commands.launch(
                entry + " " + output.shape(),
                card.function(new Key(entry, output.dtype()), entry, () -> text.apply(output.dtype())),
                (elements + THREADS - 1) / THREADS,
                1,
                THREADS,
                g.arguments(places),
                spans.touched());
    }

    /** A kernel whose body speaks of ELEMENT, what lies in memory, TYPE, what is computed with, LOAD and STORE. */
    private static String kernel(DType t, String entry, String parameters, String body) {
        String element = switch (t) {
            case F64 -> "double";
            case F32 -> "float";
            default -> "unsigned short";
        };
        String load = t == DType.F16 ? "ox_from_f16" : t == DType.BF16 ? "ox_from_bf16" : "";
        String text =
                "extern \"C\" __global__ void __launch_bounds__(%d) %s(%s, %s) {\n  unsigned at = blockIdx.x * %du + threadIdx.x;\n%s"
                        .formatted(THREADS, entry, parameters, Geometry.PARAMETERS, THREADS, body);
        return CudaText.prelude()
                + text.replace("ELEMENT", element)
                        .replace("TYPE", t == DType.F64 ? "double" : "float")
                        .replace("LOAD", load)
                        .replace("STORE", load.replace("from", "to"));
    }

    /** {@code col[b, oh, ow, kh, kw, c] = x[b, h, w, c]}, and 0 beyond the border. */
    static String columns(DType t) {
        return kernel(t, "columns", "const ELEMENT* x, ELEMENT* col", """
                  unsigned n = (unsigned)B * OH * OW * KH * KW * C;
                  if (at >= n) return;
                  unsigned r = at, c = r % C; r /= C;
                  unsigned kw = r % KW; r /= KW;
                  unsigned kh = r % KH; r /= KH;
                  unsigned ow = r % OW; r /= OW;
                  unsigned oh = r % OH, b = r / OH;
                  int h = (int)oh * SH - PH + (int)kh * DH, w = (int)ow * SW - PW + (int)kw * DW;
                  bool inside = h >= 0 && h < H && w >= 0 && w < W;
                  col[at] = inside ? x[((b * H + h) * W + w) * C + c] : (ELEMENT)0;
                }
                """);
    }

    /** {@code dx[b, h, w, c]}: the sum of all {@code dcol} that {@link #columns} took from there. */
    static String fold(DType t) {
        return kernel(t, "fold", "const ELEMENT* col, ELEMENT* x", """
                  unsigned n = (unsigned)B * H * W * C;
                  if (at >= n) return;
                  unsigned r = at, c = r % C; r /= C;
                  int w = r % W; r /= W;
                  int h = r % H; unsigned b = r / H;
                  TYPE sum = 0;
                  for (int kh = 0; kh < KH; kh++) {
                    int y = h + PH - kh * DH, oh = y / SH;
                    if (y < 0 || oh * SH != y || oh >= OH) continue;
                    for (int kw = 0; kw < KW; kw++) {
                      int z = w + PW - kw * DW, ow = z / SW;
                      if (z < 0 || ow * SW != z || ow >= OW) continue;
                      sum += LOAD(col[((((b * OH + oh) * OW + ow) * KH + kh) * KW + kw) * C + c]);
                    }
                  }
                  x[at] = STORE(sum);
                }
                """);
    }

    /** The largest element of each window, NaN where one is. */
    static String largest(DType t) {
        return kernel(t, "largest", "const ELEMENT* x, ELEMENT* y", """
                  unsigned n = (unsigned)B * OH * OW * C;
                  if (at >= n) return;
                  unsigned r = at, c = r % C; r /= C;
                  unsigned ow = r % OW; r /= OW;
                  unsigned oh = r % OH, b = r / OH;
                  bool any = false;
                  TYPE best = 0;
                  for (int kh = 0; kh < KH; kh++) {
                    int h = (int)oh * SH - PH + kh;
                    if (h < 0 || h >= H) continue;
                    for (int kw = 0; kw < KW; kw++) {
                      int w = (int)ow * SW - PW + kw;
                      if (w < 0 || w >= W) continue;
                      TYPE v = LOAD(x[((b * H + h) * W + w) * C + c]);
                      if (!any || v > best || v != v) best = v;
                      any = true;
                    }
                  }
                  y[at] = STORE(best);
                }
                """);
    }

    /**
     * {@code dx}: the gradients of those windows whose first largest element is here. Whether an element is as large as the
     * window's largest is seen at once; only then its predecessors there are looked at, and all of them where that is no number.
     */
    static String largestGradient(DType t) {
        return kernel(t, "gradient", "const ELEMENT* x, const ELEMENT* y, const ELEMENT* dy, ELEMENT* dx", """
                  unsigned n = (unsigned)B * H * W * C;
                  if (at >= n) return;
                  unsigned r = at, c = r % C; r /= C;
                  int w = r % W; r /= W;
                  int h = r % H; unsigned b = r / H;
                  const TYPE mine = LOAD(x[at]);
                  TYPE sum = 0;
                  for (int kh = KH - 1; kh >= 0; kh--) {
                    int p = h + PH - kh, oh = p / SH;
                    if (p < 0 || oh * SH != p || oh >= OH) continue;
                    for (int kw = KW - 1; kw >= 0; kw--) {
                      int q = w + PW - kw, ow = q / SW;
                      if (q < 0 || ow * SW != q || ow >= OW) continue;
                      const unsigned o = ((b * OH + oh) * OW + ow) * C + c;
                      const TYPE most = LOAD(y[o]);
                      if (most == most && mine != most) continue;
                      int first = -1;
                      TYPE best = 0;
                      for (int i = 0; i < KH && (most != most || i <= kh); i++) {
                        int v = oh * SH - PH + i;
                        if (v < 0 || v >= H) continue;
                        for (int k = 0; k < KW; k++) {
                          int z = ow * SW - PW + k;
                          if (z < 0 || z >= W) continue;
                          TYPE e = LOAD(x[((b * H + v) * W + z) * C + c]);
                          if (first < 0 || e > best) { best = e; first = i * KW + k; }
                        }
                      }
                      if (first == kh * KW + kw) sum += LOAD(dy[o]);
                    }
                  }
                  dx[at] = STORE(sum);
                }
                """);
    }

    /** The mean of what is inside of each window, added up in the order of its elements. */
    static String mean(DType t) {
        return kernel(t, "mean", "const ELEMENT* x, ELEMENT* y", """
                  unsigned n = (unsigned)B * OH * OW * C;
                  if (at >= n) return;
                  unsigned r = at, c = r % C; r /= C;
                  unsigned ow = r % OW; r /= OW;
                  unsigned oh = r % OH, b = r / OH;
                  int count = 0;
                  TYPE sum = 0;
                  for (int kh = 0; kh < KH; kh++) {
                    int h = (int)oh * SH - PH + kh;
                    if (h < 0 || h >= H) continue;
                    for (int kw = 0; kw < KW; kw++) {
                      int w = (int)ow * SW - PW + kw;
                      if (w < 0 || w >= W) continue;
                      sum += LOAD(x[((b * H + h) * W + w) * C + c]);
                      count++;
                    }
                  }
                  y[at] = STORE(sum / (TYPE)count);
                }
                """);
    }

    /** {@code dx}: of the gradient of each window around here the part that is this element's. */
    static String meanGradient(DType t) {
        return kernel(t, "spread", "const ELEMENT* dy, ELEMENT* dx", """
                  unsigned n = (unsigned)B * H * W * C;
                  if (at >= n) return;
                  unsigned r = at, c = r % C; r /= C;
                  int w = r % W; r /= W;
                  int h = r % H; unsigned b = r / H;
                  TYPE sum = 0;
                  for (int kh = KH - 1; kh >= 0; kh--) {
                    int p = h + PH - kh, oh = p / SH;
                    if (p < 0 || oh * SH != p || oh >= OH) continue;
                    int top = oh * SH - PH, rows = min(top + KH, H) - max(top, 0);
                    for (int kw = KW - 1; kw >= 0; kw--) {
                      int q = w + PW - kw, ow = q / SW;
                      if (q < 0 || ow * SW != q || ow >= OW) continue;
                      int left = ow * SW - PW, columns = min(left + KW, W) - max(left, 0);
                      sum += LOAD(dy[((b * OH + oh) * OW + ow) * C + c]) / (TYPE)(rows * columns);
                    }
                  }
                  dx[at] = STORE(sum);
                }
                """);
    }
}
