# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ops of the dialect `shard`, for MLIR's Python bindings.

The dialect itself comes from the C API: `mlirGetDialectHandle__shard__()` of
`shard-c/Dialect.h`, which the extension of the compiler registers.
"""

from ._shard_ops_gen import *  # noqa: F403
