# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The lit format of a build with mutations (docs/Mutants.md).

lit hands few variables of the environment on to tests. SHARD_MUTANT is handed on by
lit.cfg.py. If SHARD_MUTANT_TRACES names a folder, each test writes the mutations that it
comes to into a file of its own there, so that a mutation is tried on these tests only.
This is a module because lit pickles the format.
"""

import os

import lit.formats


class TracedTest(lit.formats.ShTest):
    def execute(self, test, lit_config):
        folder = os.environ.get("SHARD_MUTANT_TRACES")
        if folder:
            # mutants.py reads these names.
            trace = os.path.join(folder, "+".join(test.path_in_suite))
            with open(trace, "wb") as file:
                file.truncate(int(os.environ["SHARD_MUTANT_COUNT"]) + 1)
            # A process of lit runs one test at a time.
            test.config.environment["SHARD_MUTANT_TRACE"] = trace
        return super().execute(test, lit_config)
