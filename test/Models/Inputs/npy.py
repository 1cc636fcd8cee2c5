"""Writes an array of f32 counting up in quarters: file shape..."""

import math
import struct
import sys

shape = tuple(map(int, sys.argv[2:]))
header = "{'descr': '<f4', 'fortran_order': False, 'shape': %s, }" % (shape,)
header += " " * (-(len(header) + 11) % 64) + "\n"
count = math.prod(shape)
with open(sys.argv[1], "wb") as file:
    file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)))
    file.write(header.encode())
    file.write(struct.pack("<%df" % count, *(i / 4 for i in range(count))))
