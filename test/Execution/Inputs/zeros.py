"""Writes a .npy file of zeros of float32 that takes no room: zeros.py FILE ROWS COLUMNS"""

import struct
import sys

path, rows, columns = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
header = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d, ), }" % (rows, columns)
header += " " * (63 - (10 + len(header)) % 64) + "\n"
with open(path, "wb") as file:
    file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
    file.truncate(10 + len(header) + 4 * rows * columns)
