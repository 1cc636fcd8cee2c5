"""print_npy.py FILE...: prints the shape and the elements of .npy files of i32, i64,
f32 or f64, without NumPy."""

import ast
import struct
import sys

for name in sys.argv[1:]:
    with open(name, "rb") as file:
        assert file.read(8) == b"\x93NUMPY\x01\x00"
        (length,) = struct.unpack("<H", file.read(2))
        header = ast.literal_eval(file.read(length).decode())
        data = file.read()
    letter = {"<i4": "i", "<i8": "q", "<f4": "f", "<f8": "d"}[header["descr"]]
    count = len(data) // struct.calcsize(letter)
    print(header["shape"], *struct.unpack(f"<{count}{letter}", data))
