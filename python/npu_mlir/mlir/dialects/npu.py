# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The npu dialect: its ops and enumerations."""

from ._npu_enum_gen import *  # noqa: F403
from ._npu_ops_gen import *  # noqa: F403
