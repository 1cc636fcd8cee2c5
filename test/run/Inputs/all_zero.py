"""Fails unless the file is an .npy of int32 zeros. usage: all_zero.py FILE"""

import struct
import sys

with open(sys.argv[1], "rb") as file:
    data = file.read()
(length,) = struct.unpack("<H", data[8:10])
header, body = data[10:10 + length].decode(), data[10 + length:]
if "'<i4'" not in header or not body:
    sys.exit("not an array of int32: " + header)
if any(body):
    sys.exit("not zero: " + body.hex())
