# SPDX-License-Identifier: GPL-2.0
"""One measured run: policy, workload, and the result file of both on a machine."""
