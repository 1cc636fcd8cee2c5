"""Ops with a sharding model that have no definition in NumPy, each with the reason."""

from cases import WITHOUT

WITHOUT.update({
    "arith.scaling_extf": "elements of 8 bits of exponent, which no argument of a run has",
    "arith.scaling_truncf": "the same",
    "bufferization.dealloc_tensor": "has no result",
})
for name in ("all_gather", "all_reduce", "all_slice", "all_to_all", "broadcast", "permute",
             "reduce_scatter", "shift"):
    WITHOUT["shard." + name] = "speaks of the devices of a grid; not an op of one device"
