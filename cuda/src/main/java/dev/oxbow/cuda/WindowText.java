package dev.oxbow.cuda;

import dev.oxbow.kernels.expr.cuda.CudaText;
import dev.oxbow.tensor.DType;
import dev.oxbow.tensor.Tensor;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;

/** Kernels that slide a window over images. All of them gather: each thread makes one element, so sums have one order. */
final class WindowText {
    static final int THREADS = 256;

    private WindowText() {}

    private record Key(String entry, DType dtype, int vector) {}

    /** Channels that one thread of a pool takes. */
    static final int TOGETHER = 4;

    /** One of the pools below, a thread for one of {@code elements} or, where they lie so, for some neighbouring channels. */
    static void launchPool(
            Card card,
            String entry,
            BiFunction<DType, Integer, String> text,
            Geometry g,
            DType dtype,
            List<Tensor> inputs,
            Tensor output) {
        long places = output.place();
        for (Tensor t : inputs) places |= t.place();
        boolean together = g.channels() % TOGETHER == 0 && places % (TOGETHER * dtype.size()) == 0;
        int vector = together ? TOGETHER : 1;
        launch(card, new Key(entry, dtype, vector), () -> text.apply(dtype, vector), g, inputs, output);
    }

    /** One of the kernels below over a window, a thread for each element of the output. */
    static void launch(
            Card card, String entry, Function<DType, String> text, Geometry g, List<Tensor> inputs, Tensor output) {
        DType t = output.dtype();
        launch(card, new Key(entry, t, 1), () -> text.apply(t), g, inputs, output);
    }

    private static void launch(
            Card card, Key key, Supplier<String> text, Geometry g, List<Tensor> inputs, Tensor output) {
        Spans spans = new Spans().writes(output);
        long[] places = new long[inputs.size() + 1];
        for (int i = 0; i < inputs.size(); i++) {
            spans.reads(inputs.get(i));
            places[i] = inputs.get(i).place();
        }
        places[inputs.size()] = output.place();
        card.commands.launch(
                key.entry + " " + output.shape(),
                card.function(key, key.entry, text),
                (output.size() / key.vector + THREADS - 1) / THREADS,
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

    /** A kernel that takes VECTOR neighbouring channels, from {@code c} on, in a PACK; {@code each} does something for all. */
    private static String pool(DType t, int vector, String entry, String parameters, String body) {
        return kernel(
                t,
                entry,
                parameters,
                body.replace("PACK", "Pack<ELEMENT, VECTOR>")
                        .replace("EACH", "_Pragma(\"unroll\") for (int j = 0; j < VECTOR; j++)")
                        .replace("VECTOR", String.valueOf(vector)));
    }

    /** The largest element of each window, NaN where one is. */
    static String largest(DType t, int vector) {
        return pool(t, vector, "largest", "const ELEMENT* x, ELEMENT* y", """
                  if (at >= (unsigned)B * OH * OW * C / VECTOR) return;
                  unsigned r = at, c = r % (C / VECTOR) * VECTOR; r /= C / VECTOR;
                  unsigned ow = r % OW; r /= OW;
                  unsigned oh = r % OH, b = r / OH;
                  bool any = false;
                  TYPE best[VECTOR];
                  EACH best[j] = 0;
                  for (int kh = 0; kh < KH; kh++) {
                    int h = (int)oh * SH - PH + kh;
                    if (h < 0 || h >= H) continue;
                    for (int kw = 0; kw < KW; kw++) {
                      int w = (int)ow * SW - PW + kw;
                      if (w < 0 || w >= W) continue;
                      const PACK v = *(const PACK*)(x + ((b * H + h) * W + w) * C + c);
                      EACH { const TYPE e = LOAD(v.x[j]); if (!any || e > best[j] || e != e) best[j] = e; }
                      any = true;
                    }
                  }
                  PACK made;
                  EACH made.x[j] = STORE(best[j]);
                  *(PACK*)(y + at * VECTOR) = made;
                }
                """);
    }

    /** For each window the number of its first largest element, in the order of its elements. */
    static String first(DType t, int vector) {
        return pool(t, vector, "first", "const ELEMENT* x, unsigned short* y", """
                  if (at >= (unsigned)B * OH * OW * C / VECTOR) return;
                  unsigned r = at, c = r % (C / VECTOR) * VECTOR; r /= C / VECTOR;
                  unsigned ow = r % OW; r /= OW;
                  unsigned oh = r % OH, b = r / OH;
                  bool any = false;
                  TYPE best[VECTOR];
                  Pack<unsigned short, VECTOR> made;
                  EACH { best[j] = 0; made.x[j] = 0xffff; }
                  for (int kh = 0; kh < KH; kh++) {
                    int h = (int)oh * SH - PH + kh;
                    if (h < 0 || h >= H) continue;
                    for (int kw = 0; kw < KW; kw++) {
                      int w = (int)ow * SW - PW + kw;
                      if (w < 0 || w >= W) continue;
                      const PACK v = *(const PACK*)(x + ((b * H + h) * W + w) * C + c);
                      EACH {
                        const TYPE e = LOAD(v.x[j]);
                        if (!any || e > best[j]) { best[j] = e; made.x[j] = (unsigned short)(kh * KW + kw); }
                      }
                      any = true;
                    }
                  }
                  *(Pack<unsigned short, VECTOR>*)(y + at * VECTOR) = made;
                }
                """);
    }

    /** {@code dx}: the gradients of those windows whose first largest element is here. */
    static String largestGradient(DType t, int vector) {
        return pool(t, vector, "gradient", "const unsigned short* first, const ELEMENT* dy, ELEMENT* dx", """
                  if (at >= (unsigned)B * H * W * C / VECTOR) return;
                  unsigned r = at, c = r % (C / VECTOR) * VECTOR; r /= C / VECTOR;
                  int w = r % W; r /= W;
                  int h = r % H; unsigned b = r / H;
                  TYPE sum[VECTOR];
                  EACH sum[j] = 0;
                  for (int kh = KH - 1; kh >= 0; kh--) {
                    int p = h + PH - kh, oh = p / SH;
                    if (p < 0 || oh * SH != p || oh >= OH) continue;
                    for (int kw = KW - 1; kw >= 0; kw--) {
                      int q = w + PW - kw, ow = q / SW;
                      if (q < 0 || ow * SW != q || ow >= OW) continue;
                      const unsigned o = ((b * OH + oh) * OW + ow) * C + c;
                      const Pack<unsigned short, VECTOR> largest = *(const Pack<unsigned short, VECTOR>*)(first + o);
                      const PACK back = *(const PACK*)(dy + o);
                      EACH if (largest.x[j] == kh * KW + kw) sum[j] += LOAD(back.x[j]);
                    }
                  }
                  PACK made;
                  EACH made.x[j] = STORE(sum[j]);
                  *(PACK*)(dx + at * VECTOR) = made;
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
