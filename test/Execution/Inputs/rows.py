"""Writes a .npy file of 6x3 numbers: rows.py FILE"""

import struct
import sys

header = "{'descr': '<f8', 'fortran_order': False, 'shape': (6, 3, ), }"
header += " " * (63 - (10 + len(header)) % 64) + "\n"
with open(sys.argv[1], "wb") as file:
    file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
    file.write(struct.pack("<18d", *range(18)))
