#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Writes cases of image jobs with expected results for image_view_test and
image_job_test.

usage: image_cases.py FILE

The results are computed here from the formulas of Documentation/images.rst, with
exact fractions and simple loops, and without code of the library. A case is a
header (struct case_head of image_cases.h), followed by the bytes of the source
without padding and those of the result.
"""

import math
import random
import struct
import sys
from fractions import Fraction

COPY, FILL, CONVERT, RESCALE, BOX, HARRIS = range(6)
ZERO, CLAMP = range(2)
NEAREST, LINEAR = range(2)

# The order is that of enum mem_format. Each entry has the number, the type of a
# component, family, range, planes as (components of a pixel, divisor of the
# sides), and places of R, G, B, A.
FORMATS = {
    "u8": (1, "B", "plain", None, [(1, 1)]),
    "s16": (2, "h", "plain", None, [(1, 1)]),
    "u16": (3, "H", "plain", None, [(1, 1)]),
    "f32": (4, "f", "plain", None, [(1, 1)]),
    "y8": (5, "B", "luma", "studio", [(1, 1)]),
    "y8-er": (6, "B", "luma", "full", [(1, 1)]),
    "y16": (7, "H", "luma", "studio", [(1, 1)]),
    "y16-er": (8, "H", "luma", "full", [(1, 1)]),
    "nv12": (9, "B", "yuv420", "studio", [(1, 1), (2, 2)]),
    "nv12-er": (10, "B", "yuv420", "full", [(1, 1), (2, 2)]),
    "rgb8": (13, "B", "rgb", None, [(3, 1)]),
    "bgr8": (14, "B", "bgr", None, [(3, 1)]),
    "rgba8": (15, "B", "rgb", None, [(4, 1)]),
    "bgra8": (16, "B", "bgr", None, [(4, 1)]),
    "rgb8p": (17, "B", "rgb", None, [(1, 1), (1, 1), (1, 1)]),
    "2s16": (18, "h", "vector", None, [(2, 1)]),
    "2f32": (19, "f", "vector", None, [(2, 1)]),
    "yuv420": (20, "B", "yuv420", "studio", [(1, 1), (1, 2), (1, 2)]),
    "yuv420-er": (21, "B", "yuv420", "full", [(1, 1), (1, 2), (1, 2)]),
}
LIMITS = {"B": (0, 255), "h": (-32768, 32767), "H": (0, 65535)}
SINGLE = ("plain", "luma")


class Image:
    """Planes of lists of components: planes[plane][y][x][component]."""

    def __init__(self, name, width, height, make=None):
        self.name = name
        _, self.comp, self.family, self.range, planes = FORMATS[name]
        self.width, self.height = width, height
        self.planes = []
        for channels, div in planes:
            w, h = -(-width // div), -(-height // div)
            self.planes.append([[[make() if make else 0
                                  for _ in range(channels)]
                                 for _ in range(w)] for _ in range(h)])

    def pack(self):
        return b"".join(struct.pack("<" + self.comp * len(row) * len(row[0]),
                                    *(c for pixel in row for c in pixel))
                        for plane in self.planes for row in plane)

    def nr_channels(self):
        return sum(len(plane[0][0]) for plane in self.planes)


def to_float(value):
    """Rounds to the nearest float32, or to infinity."""
    try:
        return struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)


def half_away(value):
    value = Fraction(value)
    whole = math.floor(abs(value) + Fraction(1, 2))
    return -whole if value < 0 else whole


def finish(value, comp, saturate=True):
    """Converts a number to a component: rounds once, saturates or wraps."""
    if comp == "f":
        return to_float(float(value))
    if isinstance(value, float) and not math.isfinite(value):
        if math.isnan(value) or not saturate:
            return 0
        return LIMITS[comp][value > 0]
    whole = half_away(value)
    low, high = LIMITS[comp]
    if saturate:
        return min(max(whole, low), high)
    if isinstance(value, float) and not -2.0 ** 63 <= value < 2.0 ** 63:
        return 0
    return (whole - low) % (high - low + 1) + low


def random_component(rng, comp):
    if comp == "f":
        return to_float(rng.choice([rng.uniform(-300, 300), rng.uniform(0, 1),
                                    float(rng.randint(-70000, 70000)),
                                    rng.randint(-999, 999) + 0.5]))
    low, high = LIMITS[comp]
    return rng.choice([low, high, rng.randint(low, high),
                       rng.randint(low, high), rng.randint(0, 255)])


def random_image(rng, name, width, height):
    comp = FORMATS[name][1]
    return Image(name, width, height, lambda: random_component(rng, comp))


# Conversions

def steps(name):
    """Returns the luma of black and its distance to white for a format."""
    bits = 8 if FORMATS[name][1] == "B" else 16
    if FORMATS[name][3] == "studio":
        return 16 << (bits - 8), 219 << (bits - 8)
    return 0, (1 << bits) - 1


def rgb_at(image, x, y):
    if len(image.planes) == 3:
        return [plane[y][x][0] for plane in image.planes]
    pixel = image.planes[0][y][x][:3]
    return pixel if image.family == "rgb" else pixel[::-1]


def luma_of_rgb(rgb):
    return sum(Fraction(weight, 1000) * value
               for weight, value in zip((299, 587, 114), rgb))


def as_full(image, x, y):
    """Returns the luma in full range, with the depth of the source."""
    if image.family in ("rgb", "bgr"):
        return luma_of_rgb(rgb_at(image, x, y))
    value = image.planes[0][y][x][0]
    if image.family == "plain":
        return value if image.comp == "f" else Fraction(value)
    first, span = steps(image.name)
    top = 255 if image.comp == "B" else 65535
    return Fraction(value - first, span) * top


def luma_for(image, x, y, target):
    """Returns the luma in the target's range, if both formats have one."""
    family = FORMATS[target][2]
    if image.family == "plain" or (family == "plain" and
                                   image.family in ("luma", "yuv420")):
        return as_number(image.planes[0][y][x][0], image.comp)
    full = as_full(image, x, y)
    if FORMATS[target][3] != "studio":
        return full
    deep = 256 if image.comp == "H" else 1
    top = 65535 if image.comp == "H" else 255
    return Fraction(full) * 219 * deep / top + 16 * deep


def as_number(value, comp):
    return value if comp == "f" else Fraction(value)


def chroma_for(image, x, y, target):
    """Returns Cb and Cr around 0 in the target's range; x, y: chroma pixels."""
    if image.family in ("rgb", "bgr"):
        r, g, b = rgb_at(image, 2 * x, 2 * y)
        luma = luma_of_rgb((r, g, b))
        chroma = [(b - luma) / (2 - 2 * Fraction(114, 1000)),
                  (r - luma) / (2 - 2 * Fraction(299, 1000))]
        have = "full"
    elif image.family == "yuv420":
        chroma = [Fraction(c - 128) for plane in image.planes[1:]
                  for c in plane[y][x]]
        have = image.range
    else:
        return [Fraction(0)] * 2
    want = FORMATS[target][3]
    factor = {("full", "studio"): Fraction(224, 255),
              ("studio", "full"): Fraction(255, 224)}.get((have, want), 1)
    return [c * factor for c in chroma]


def rgb_for(image, x, y):
    if image.family in ("rgb", "bgr"):
        return [Fraction(c) for c in rgb_at(image, x, y)]
    luma = as_full(image, x, y)
    if image.family != "yuv420":
        return [luma] * 3
    cb, cr = chroma_for(image, x // 2, y // 2, "nv12-er")
    kr, kb = Fraction(299, 1000), Fraction(114, 1000)
    red = luma + cr * (2 - 2 * kr)
    blue = luma + cb * (2 - 2 * kb)
    green = (luma - kr * red - kb * blue) / (1 - kr - kb)
    return [red, green, blue]


def convert(src, target, saturate, scale, offset):
    dst = Image(target, src.width, src.height)
    plain = scale in (0, 1) and offset == 0

    def done(value):
        if not plain:
            value = float(value) * (scale or 1) + offset
        return finish(value, dst.comp, saturate)

    if plain and target == src.name:
        dst.planes = src.planes
        return dst
    for y in range(src.height):
        for x in range(src.width):
            if dst.family not in ("rgb", "bgr"):
                dst.planes[0][y][x] = [done(luma_for(src, x, y, target))]
                continue
            rgb = [done(c) for c in rgb_for(src, x, y)]
            if len(dst.planes) == 3:
                for plane, c in zip(dst.planes, rgb):
                    plane[y][x] = [c]
            else:
                pixel = rgb if dst.family == "rgb" else rgb[::-1]
                alpha = [255] * (len(dst.planes[0][y][x]) - 3)
                dst.planes[0][y][x] = pixel + alpha
    if dst.family == "yuv420":
        for y, row in enumerate(dst.planes[1]):
            for x in range(len(row)):
                values = [finish(c + 128, "B", saturate)
                          for c in chroma_for(src, x, y, target)]
                for plane in dst.planes[1:]:
                    nr = len(plane[y][x])
                    plane[y][x] = values[:nr]
                    values = values[nr:]
    return dst


def can_convert(dst, src, plain):
    if dst == src and plain:
        return True
    families = FORMATS[dst][2], FORMATS[src][2]
    if "vector" in families:
        return False
    return plain or any(f in SINGLE for f in families)


# Other operations

def pixel_of(plane, x, y, border):
    height, width = len(plane), len(plane[0])
    if border == ZERO and not (0 <= x < width and 0 <= y < height):
        return [0] * len(plane[0][0])
    return plane[min(max(y, 0), height - 1)][min(max(x, 0), width - 1)]


def rescale(src, width, height, interp, border):
    dst = Image(src.name, width, height)
    for to, plane in zip(dst.planes, src.planes):
        fy = Fraction(len(plane), len(to))
        fx = Fraction(len(plane[0]), len(to[0]))
        for y, row in enumerate(to):
            sy = (y + Fraction(1, 2)) * fy - Fraction(1, 2)
            for x in range(len(row)):
                sx = (x + Fraction(1, 2)) * fx - Fraction(1, 2)
                if interp == NEAREST:
                    row[x] = plane[math.floor(sy + Fraction(1, 2))][
                        math.floor(sx + Fraction(1, 2))]
                    continue
                x0, y0 = math.floor(sx), math.floor(sy)
                row[x] = []
                for c in range(len(plane[0][0])):
                    total = Fraction(0)
                    for j in (0, 1):
                        for i in (0, 1):
                            weight = ((sx - x0 if i else x0 + 1 - sx) *
                                      (sy - y0 if j else y0 + 1 - sy))
                            total += weight * Fraction(pixel_of(
                                plane, x0 + i, y0 + j, border)[c])
                    row[x].append(finish(total, src.comp))
    return dst


def box(src, width, height, border):
    dst = Image(src.name, src.width, src.height)
    plane = src.planes[0]
    for y in range(src.height):
        for x in range(src.width):
            pixels = [pixel_of(plane, x + i, y + j, border)
                      for j in range(-(height // 2), height // 2 + 1)
                      for i in range(-(width // 2), width // 2 + 1)]
            dst.planes[0][y][x] = [
                finish(sum(map(Fraction, values)) / len(pixels), src.comp)
                for values in zip(*pixels)]
    return dst


SOBEL = {3: ((1, 2, 1), (-1, 0, 1)),
         5: ((1, 4, 6, 4, 1), (-1, -2, 0, 2, 1)),
         7: ((1, 6, 15, 20, 15, 6, 1), (-1, -4, -5, 0, 5, 4, 1))}


def harris(src, gradient, block, strength, k, distance, capacity):
    plane = [[pixel[0] for pixel in row] for row in src.planes[0]]
    smooth, derive = SOBEL[gradient]
    scale = sum(smooth)
    g, b = gradient // 2, block // 2
    gradients = {}
    for y in range(g, src.height - g):
        for x in range(g, src.width - g):
            ix = iy = 0
            for j in range(gradient):
                for i in range(gradient):
                    value = plane[y - g + j][x - g + i]
                    ix += smooth[j] * derive[i] * value
                    iy += derive[j] * smooth[i] * value
            gradients[x, y] = ix, iy
    found = []
    for y in range(g + b, src.height - g - b):
        for x in range(g + b, src.width - g - b):
            near = [gradients[x + i, y + j] for j in range(-b, b + 1)
                    for i in range(-b, b + 1)]
            xx = sum(ix * ix for ix, _ in near) / float(scale ** 2)
            yy = sum(iy * iy for _, iy in near) / float(scale ** 2)
            xy = sum(ix * iy for ix, iy in near) / float(scale ** 2)
            score = to_float(xx * yy - xy * xy - k * (xx + yy) * (xx + yy))
            if score > 0 and score >= strength:
                found.append((score, y, x))
    kept = []
    for score, y, x in sorted(found, reverse=True):
        if len(kept) == capacity:
            break
        if all((x - i) ** 2 + (y - j) ** 2 >= distance ** 2
               for _, j, i in kept):
            kept.append((score, y, x))
    return b"".join(struct.pack("<fff", x, y, score) for score, y, x in kept)


# Cases

class Writer:
    def __init__(self, file):
        self.file = file

    def put(self, name, op, src, dst_format, size, ints, reals, result):
        """Writes a case; ints and reals are 4 numbers each."""
        source = src.pack() if src else b""
        src_head = ((FORMATS[src.name][0], src.width, src.height)
                    if src else (0, 0, 0))
        ints = (list(ints) + [0] * 4)[:4]
        reals = (list(reals) + [0.0] * 4)[:4]
        self.file.write(struct.pack(
            "<III II II IIII II xxxx dddd 40s", op, FORMATS[dst_format][0],
            src_head[0], *size, *src_head[1:], *ints, len(source),
            len(result), *reals, name.encode()))
        self.file.write(source + result)


def random_size(rng, most=19):
    return rng.choice([(1, 1), (1, rng.randint(1, most)),
                       (rng.randint(1, most), 1),
                       (rng.randint(1, most), rng.randint(1, most)),
                       (rng.randint(1, most), rng.randint(1, most)),
                       (2 * rng.randint(1, 9), 2 * rng.randint(1, 9))])


def copies(rng, out):
    for name in FORMATS:
        src = random_image(rng, name, *random_size(rng))
        size = src.width, src.height
        out.put(f"copy {name}", COPY, src, name, size, (), (), src.pack())
        dst = Image(name, *random_size(rng))
        values = [rng.choice([-40000.0, 70000.0, 2.5, -2.5, 0.49,
                              float(rng.randint(0, 255)), math.nan])
                  for _ in range(dst.nr_channels())]
        if dst.comp == "f":
            values = [0.1 if math.isnan(v) else v for v in values]
        rest = [finish(v, dst.comp) for v in values]
        for plane in dst.planes:
            nr = len(plane[0][0])
            for row in plane:
                for x in range(len(row)):
                    row[x] = rest[:nr]
            rest = rest[nr:]
        out.put(f"fill {name}", FILL, None, name, (dst.width, dst.height), (),
                values, dst.pack())


def conversions(rng, out):
    hows = [(1, 0.0, 0.0), (1, 0.0, 0.0), (0, 1.0, 0.0), (1, 2.5, -7.25),
            (0, -3.0, 1000.5), (1, 1 / 257, 0.0), (0, 1e18, 0.0),
            (1, 1e30, 0.0)]
    for dst in FORMATS:
        for src in FORMATS:
            for how in rng.sample(hows, 3):
                saturate, scale, offset = how
                plain = scale in (0, 1) and offset == 0
                if not can_convert(dst, src, plain):
                    continue
                image = random_image(rng, src, *random_size(rng, 9))
                result = convert(image, dst, saturate, scale, offset)
                out.put(f"convert {src} {dst}", CONVERT, image, dst,
                        (image.width, image.height), (saturate,),
                        (scale, offset), result.pack())


def scalings(rng, out):
    for name in FORMATS:
        for interp in (NEAREST, LINEAR):
            for border in (ZERO, CLAMP):
                src = random_image(rng, name, *random_size(rng))
                size = random_size(rng)
                result = rescale(src, *size, interp, border)
                out.put(f"rescale {name}", RESCALE, src, name, size,
                        (interp, border), (), result.pack())
    src = random_image(rng, "nv12", 33, 17)
    out.put("rescale nv12 by much", RESCALE, src, "nv12", (5, 50),
            (LINEAR, CLAMP), (), rescale(src, 5, 50, LINEAR, CLAMP).pack())


def boxes(rng, out):
    for name, (_, _, _, _, planes) in FORMATS.items():
        if len(planes) > 1:
            continue
        for border in (ZERO, CLAMP):
            for width, height in ((1, 1), (3, 3), (11, 1), (5, 11)):
                src = random_image(rng, name, *random_size(rng, 14))
                result = box(src, width, height, border)
                out.put(f"box {name} {width}x{height}", BOX, src, name,
                        (src.width, src.height), (border, width, height), (),
                        result.pack())


def spotted(rng, name, width, height):
    """Returns an image with squares on a background, which has corners."""
    image = Image(name, width, height, lambda: 20)
    low, high = (-3000, 3000) if name == "s16" else (0, 255)
    for _ in range(width * height // 60):
        x, y, side = (rng.randrange(width), rng.randrange(height),
                      rng.randint(2, 8))
        value = rng.randint(low, high)
        for j in range(y, min(y + side, height)):
            for i in range(x, min(x + side, width)):
                image.planes[0][j][i] = [value]
    return image


def corners(rng, out):
    for name in ("u8", "y8", "y8-er", "s16"):
        for number in range(9):
            gradient, block = 3 + number % 3 * 2, 3 + number // 3 * 2
            size = rng.choice([(40, 30), (29, 33), (64, 17), (40, 40),
                               (33, 29)] if number < 7 else
                              [(13, 13), (12, 12), (1, 1), (7, 40)])
            src = spotted(rng, name, *size)
            strength = rng.choice([0.0, 20.0, 1e5])
            k = to_float(rng.choice([0.0, 0.01, 0.0625]))
            distance = to_float(rng.choice([0.0, 1.0, 2.5, 8.0, 1000.0]))
            capacity = rng.choice([1, 7, 2000, 2000])
            result = harris(src, gradient, block, strength, k, distance,
                            capacity)
            out.put(f"harris {name} {gradient} {block}", HARRIS, src, name,
                    size, (gradient, block, capacity),
                    (strength, k, distance), result)


def of_accelerators(rng, out):
    """What the compositor and the vision accelerator do, in sizes they take."""
    colours = ("y8", "y8-er", "nv12", "nv12-er", "yuv420", "yuv420-er",
               "rgba8", "bgra8")
    for dst in colours:
        for src in colours:
            image = random_image(rng, src, 8, 6)
            out.put(f"convert {src} {dst}", CONVERT, image, dst, (8, 6), (1,),
                    (1.0, 0.0), convert(image, dst, 1, 1, 0).pack())
    for name in ("y8", "y16", "rgba8", "nv12", "yuv420"):
        src = random_image(rng, name, 16, 18)
        out.put(f"rescale {name}", RESCALE, src, name, (24, 16),
                (LINEAR, CLAMP), (), rescale(src, 24, 16, LINEAR,
                                             CLAMP).pack())
    for name in ("u8", "u16", "s16"):
        src = random_image(rng, name, 65, 33)
        out.put(f"box {name} 3x3", BOX, src, name, (65, 33), (CLAMP, 3, 3), (),
                box(src, 3, 3, CLAMP).pack())
    src = spotted(rng, "s16", 160, 120)
    out.put("harris s16 3 3", HARRIS, src, "s16", (160, 120), (3, 3, 2000),
            (20.0, 0.0625, 8.0),
            harris(src, 3, 3, 20.0, 0.0625, 8.0, 2000))


def main():
    rng = random.Random(16)
    with open(sys.argv[1], "wb") as file:
        out = Writer(file)
        copies(rng, out)
        conversions(rng, out)
        scalings(rng, out)
        boxes(rng, out)
        corners(rng, out)
        of_accelerators(rng, out)


if __name__ == "__main__":
    main()
