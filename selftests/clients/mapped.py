#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""mapped.py HEAP: maps a buffer in Python, for a debugger to inspect.

Writes a text into a mapped buffer, prints the address, and when its standard
input ends prints the text that is there then, between START and END.
"""

import ctypes
import fcntl
import mmap
import os
import struct
import sys

HEAP_ALLOC = 0xc0184800     # DMA_HEAP_IOCTL_ALLOC
SYNC = 0x40086200           # DMA_BUF_IOCTL_SYNC
READ, WRITE, END = 1, 2, 4
TEXT = b"written by Python"
LEN = 3 * mmap.PAGESIZE


def main():
    heap = os.open("/dev/dma_heap/" + sys.argv[1], os.O_RDONLY)
    answer = fcntl.ioctl(heap, HEAP_ALLOC,
                         struct.pack("QIIQ", LEN, 0, os.O_RDWR, 0))
    fd = struct.unpack("QIIQ", answer)[1]
    # Python queries the size of the file that it maps, which a dma-buf has.
    assert os.stat(fd).st_size == LEN
    view = mmap.mmap(fd, LEN, mmap.MAP_SHARED)
    assert view[:] == bytes(LEN)
    fcntl.ioctl(fd, SYNC, struct.pack("Q", WRITE))
    # The text crosses the border of two pages.
    at = mmap.PAGESIZE - 4
    view[at:at + len(TEXT)] = TEXT
    fcntl.ioctl(fd, SYNC, struct.pack("Q", WRITE | END))
    print(ctypes.addressof(ctypes.c_char.from_buffer(view)) + at, flush=True)
    sys.stdin.read()
    fcntl.ioctl(fd, SYNC, struct.pack("Q", READ))
    print(view[at:at + len(TEXT)].decode())
    fcntl.ioctl(fd, SYNC, struct.pack("Q", READ | END))


main()
