# SPDX-License-Identifier: GPL-2.0
"""What is in a cpio archive of the newc format, for the tests of what writes them."""


def entries(data: bytes) -> dict[str, tuple[int, bytes, tuple[int, int]]]:
    """Mode, content and device number by name; checks layout on the way."""
    found: dict[str, tuple[int, bytes, tuple[int, int]]] = {}
    at = 0
    while True:
        assert data[at : at + 6] == b"070701"
        assert at % 4 == 0
        fields = [int(data[at + 6 + 8 * i : at + 14 + 8 * i], 16) for i in range(13)]
        mode, size, name_size = fields[1], fields[6], fields[11]
        name = data[at + 110 : at + 110 + name_size - 1].decode()
        assert data[at + 110 + name_size - 1] == 0
        start = at + 110 + name_size
        start += -start % 4
        at = start + size
        at += -at % 4
        if name == "TRAILER!!!":
            assert at == len(data)
            return found
        found[name] = (mode, data[start : start + size], (fields[9], fields[10]))
