# Part of the shard project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every package has one version, wherever it is asked for."""

import tomllib
from pathlib import Path

import shard

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def pins_of(lines):
    wanted = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    assert all("==" in line for line in wanted), wanted
    return dict(line.split("==") for line in wanted)


def test_versions_are_the_same_everywhere():
    pins = {}
    for name in ("requirements.txt", "requirements-frontends.txt"):
        for package, version in pins_of((ROOT / "python" / name).read_text().splitlines()).items():
            assert pins.setdefault(package, version) == version, f"{package} in {name}"
    # A wheel has to hold what its extras are, so pyproject.toml repeats them.
    extras = PROJECT["project"]["optional-dependencies"]
    for package, version in pins_of(
        [*PROJECT["build-system"]["requires"], *(line for e in extras.values() for line in e)]
    ).items():
        assert pins[package] == version, package
    assert {"jax", "torch", "test"} == set(extras)


def test_the_version_of_the_package():
    assert shard.__version__ == PROJECT["project"]["version"]
