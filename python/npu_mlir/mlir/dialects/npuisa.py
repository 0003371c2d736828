# Part of the npu-mlir project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

"""The npuisa dialect: device programs, their instructions and enumerations."""

from ._npuisa_enum_gen import *  # noqa: F403
from ._npuisa_ops_gen import *  # noqa: F403
