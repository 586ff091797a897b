#!/usr/bin/env python3
"""pictures.py FOLDER: small images in the formats and forms that samples decode. Needs pillow and numpy.

    python pictures.py testing/src/main/resources/dev/oxbow/testing/samples/pictures
"""
import io, os, struct, sys, zlib
import numpy as np
from PIL import Image

folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)
W, H = 21, 13
y, x = np.mgrid[0:H, 0:W]
noise = np.random.default_rng(5).integers(0, 40, (H, W, 4))
rgba = (np.stack([x * 11, y * 17, (x + y) * 7, 255 - x * 9], 2) + noise).clip(0, 255).astype("u1")
rgb, grey = rgba[:, :, :3], rgba[:, :, 0]


def keep(name, data):
    with open(os.path.join(folder, name), "wb") as f:
        f.write(data)


def save(name, image, form, **options):
    out = io.BytesIO()
    image.save(out, form, **options)
    keep(name, out.getvalue())


def jpegs():
    image = Image.fromarray(rgb)
    for name, options in {
        "420": {"subsampling": 2},
        "422": {"subsampling": 1},
        "444": {"subsampling": 0},
        "progressive": {"progressive": True},
        "restarts": {"restart_marker_blocks": 1},
        "optimised": {"optimize": True},
        "rgb": {"keep_rgb": True},
    }.items():
        save(name + ".jpg", image, "JPEG", quality=85, **options)
    save("grey.jpg", image.convert("L"), "JPEG", quality=85)
    save("cmyk.jpg", image.convert("CMYK"), "JPEG", quality=85)


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(name, pixels, depth, colour, more=b"", interlaced=False):
    """A file of rows of samples, each packed to its depth, with filters in turn."""

    def rows(p):
        out = b""
        for i, row in enumerate(p):
            flat = row.reshape(-1)
            if depth == 16:
                packed = flat.astype(">u2").tobytes()
            elif depth == 8:
                packed = flat.astype("u1").tobytes()
            else:
                bits = "".join(format(int(v), "0%db" % depth) for v in flat)
                bits += "0" * (-len(bits) % 8)
                packed = bytes(int(bits[k : k + 8], 2) for k in range(0, len(bits), 8))
            out += b"\0" + packed
        return out

    passes = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
    body = b"".join(rows(pixels[b::d, a::c]) for a, b, c, d in passes) if interlaced else rows(pixels)
    head = struct.pack(">IIBBBBB", W, H, depth, colour, 0, 0, int(interlaced))
    data = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + more + chunk(b"IDAT", zlib.compress(body)) + chunk(b"IEND", b"")
    keep(name + ".png", data)


def pngs():
    for name, mode in {"rgb": "RGB", "rgba": "RGBA", "grey": "L", "greyalpha": "LA"}.items():
        save(name + ".png", Image.fromarray(rgba).convert(mode), "PNG")
    deep = rgba.astype("u2") * 251 + 3
    png("rgb16", deep[:, :, :3], 16, 2)
    png("rgba16", deep, 16, 6)
    png("grey16", deep[:, :, 0], 16, 0)
    for depth in (1, 2, 4):
        png("grey%d" % depth, grey >> (8 - depth), depth, 0)
        palette = np.random.default_rng(depth).integers(0, 256, 3 << depth).astype("u1").tobytes()
        png("palette%d" % depth, grey >> (8 - depth), depth, 3, chunk(b"PLTE", palette))
    palette = chunk(b"PLTE", np.random.default_rng(9).integers(0, 256, 768).astype("u1").tobytes())
    png("palette8", grey, 8, 3, palette)
    png("transparent8", grey, 8, 3, palette + chunk(b"tRNS", bytes(range(0, 250, 3))))
    png("transparentgrey", grey, 8, 0, chunk(b"tRNS", struct.pack(">H", int(grey[3, 4]))))
    png("transparentrgb", rgb, 8, 2, chunk(b"tRNS", struct.pack(">HHH", *(int(v) for v in rgb[2, 2]))))
    png("interlaced", rgb, 8, 2, interlaced=True)
    png("interlaced2", grey >> 6, 2, 0, interlaced=True)


def gifs():
    first = Image.fromarray(rgb).convert("P", palette=Image.Palette.ADAPTIVE, colors=60)
    other = Image.fromarray(rgb[::-1].copy()).convert("P", palette=Image.Palette.ADAPTIVE, colors=30)
    moved = first.copy()
    moved.paste(other.crop((3, 2, 9, 8)).convert("RGB").convert("P"), (5, 4))
    save("one.gif", first, "GIF", interlace=0)
    save("interlaced.gif", first, "GIF", interlace=1)
    save("several.gif", first, "GIF", save_all=True, append_images=[moved, other], duration=40)
    save("transparent.gif", first, "GIF", save_all=True, append_images=[moved], transparency=3, duration=40, disposal=1)


def bmps():
    save("rgb.bmp", Image.fromarray(rgb), "BMP")
    save("grey.bmp", Image.fromarray(grey), "BMP")
    pixels = b"".join(row[:, [2, 1, 0, 3]].tobytes() for row in rgba)
    for name, height in (("rgba", H), ("down", -H)):
        head = struct.pack("<iiiHHIIiiII", 40, W, height, 1, 32, 0, len(pixels), 0, 0, 0, 0)[:40]
        keep(name + ".bmp", b"BM" + struct.pack("<IHHI", 54 + len(pixels), 0, 0, 54) + head + pixels)


jpegs()
pngs()
gifs()
bmps()
