"""Prints the numbers of an .npy of float32. usage: floats.py FILE"""

import struct
import sys

with open(sys.argv[1], "rb") as file:
    data = file.read()
(length,) = struct.unpack("<H", data[8:10])
header, body = data[10:10 + length].decode(), data[10 + length:]
if "'<f4'" not in header:
    sys.exit("not an array of float32: " + header)
print(*struct.unpack(f"<{len(body) // 4}f", body))
