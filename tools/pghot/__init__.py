# SPDX-License-Identifier: GPL-2.0
"""The command `pghot`: what goes on with tiered memory on this machine, why, and how to change it.

Layers, each uses only those before it: read (the machine's files), decide (what they mean, pure
functions), show (text, JSON, pages), verbs (one file for each verb), cli (arguments and errors).
What packages need besides is made from the descriptions of the verbs (made).
"""
