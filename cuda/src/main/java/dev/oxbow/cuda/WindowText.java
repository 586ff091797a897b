package dev.oxbow.cuda;

import dev.oxbow.tensor.DType;

/** Kernels that slide a window over images. All of them gather: each thread makes one element, so sums have one order. */
final class WindowText {
    static final int THREADS = 256;

    private WindowText() {}

    /** What holds an element. */
    private static String type(DType t) {
        return switch (t) {
            case F64 -> "double";
            default -> "float";
        };
    }

    private static String head(String entry, String parameters) {
        return "extern \"C\" __global__ void __launch_bounds__(%d) %s(%s, %s) {\n  unsigned at = blockIdx.x * %du + threadIdx.x;\n"
                .formatted(THREADS, entry, parameters, Geometry.PARAMETERS, THREADS);
    }

    /** {@code col[b, oh, ow, kh, kw, c] = x[b, h, w, c]}, and 0 beyond the border. */
    static String columns(DType t) {
        String type = type(t);
        return head("columns", "const %s* x, %s* col".formatted(type, type)) + """
                  unsigned n = (unsigned)B * OH * OW * KH * KW * C;
                  if (at >= n) return;
                  unsigned r = at, c = r % C; r /= C;
                  unsigned kw = r % KW; r /= KW;
                  unsigned kh = r % KH; r /= KH;
                  unsigned ow = r % OW; r /= OW;
                  unsigned oh = r % OH, b = r / OH;
                  int h = (int)oh * SH - PH + (int)kh * DH, w = (int)ow * SW - PW + (int)kw * DW;
                  bool inside = h >= 0 && h < H && w >= 0 && w < W;
                  col[at] = inside ? x[((b * H + h) * W + w) * C + c] : (TYPE)0;
                }
                """.replace("TYPE", type);
    }

    /** {@code dx[b, h, w, c]}: the sum of all {@code dcol} that {@link #columns} took from there. */
    static String fold(DType t) {
        String type = type(t);
        return head("fold", "const %s* col, %s* x".formatted(type, type)) + """
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
                      sum += col[((((b * OH + oh) * OW + ow) * KH + kh) * KW + kw) * C + c];
                    }
                  }
                  x[at] = sum;
                }
                """.replace("TYPE", type);
    }

    /** The largest element of each window, NaN where one is. */
    static String largest(DType t) {
        String type = type(t);
        return head("largest", "const %s* x, %s* y".formatted(type, type)) + """
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
                      TYPE v = x[((b * H + h) * W + w) * C + c];
                      if (!any || v > best || v != v) best = v;
                      any = true;
                    }
                  }
                  y[at] = best;
                }
                """.replace("TYPE", type);
    }

    /** {@code dx}: the gradients of those windows whose first largest element is here. */
    static String largestGradient(DType t) {
        String type = type(t);
        return head("gradient", "const %s* x, const %s* dy, %s* dx".formatted(type, type, type))
                + """
                  unsigned n = (unsigned)B * H * W * C;
                  if (at >= n) return;
                  unsigned r = at, c = r % C; r /= C;
                  int w = r % W; r /= W;
                  int h = r % H; unsigned b = r / H;
                  TYPE sum = 0;
                  for (int kh = KH - 1; kh >= 0; kh--) {
                    int p = h + PH - kh, oh = p / SH;
                    if (p < 0 || oh * SH != p || oh >= OH) continue;
                    for (int kw = KW - 1; kw >= 0; kw--) {
                      int q = w + PW - kw, ow = q / SW;
                      if (q < 0 || ow * SW != q || ow >= OW) continue;
                      int first = -1;
                      TYPE best = 0;
                      for (int i = 0; i < KH; i++) {
                        int y = oh * SH - PH + i;
                        if (y < 0 || y >= H) continue;
                        for (int k = 0; k < KW; k++) {
                          int z = ow * SW - PW + k;
                          if (z < 0 || z >= W) continue;
                          TYPE v = x[((b * H + y) * W + z) * C + c];
                          if (first < 0 || v > best) { best = v; first = i * KW + k; }
                        }
                      }
                      if (first == kh * KW + kw) sum += dy[((b * OH + oh) * OW + ow) * C + c];
                    }
                  }
                  dx[at] = sum;
                }
                """.replace("TYPE", type);
    }
}
