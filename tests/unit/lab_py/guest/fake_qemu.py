# SPDX-License-Identifier: GPL-2.0
"""What a QEMU does that boots a template: it writes its console, and answers what it is asked.

Its first argument is how its guest fares: "well", "badly" (a bad line), "unsaved", or "ends" before
its time stands still. With the memory model, time does so where the guest waits.
"""

import json
import re
import sys
from pathlib import Path


def main() -> int:
    """Boot, save, and quit."""
    fate, *words = sys.argv[1:]
    files = dict(re.findall(r"id=(console|reports),path=([^,]*),", " ".join(words)))
    Path(files["reports"]).write_text("@begin memory_map\n@end memory_map\n")
    bad = "[ 1.0] BUG: bad\n" if fate == "badly" else ""
    Path(files["console"]).write_text(f"{bad}[ 1.5] lab: phase template\n")
    config = re.search(r"config=(\S*)", " ".join(words))
    if config and fate != "ends":
        assert "string=freeze" in " ".join(words)
        out = re.search(r"^out (.*)", Path(config[1]).read_text(), re.MULTILINE)
        assert out
        Path(out[1]).write_text('{"frozen_ps":2500}\n')
    print(json.dumps({"QMP": {}}), flush=True)
    if fate == "ends":
        return 1
    for line in sys.stdin:
        asked = json.loads(line)
        answer = {}
        if asked["execute"] == "migrate":
            Path(asked["arguments"]["uri"].removeprefix("file:")).write_text("memory")
        elif asked["execute"] == "query-migrate":
            answer = {"status": "completed"}
            if fate == "unsaved":
                answer = {"status": "failed", "error-desc": "no space"}
        print(json.dumps({"event": "SOMETHING"}))
        print(json.dumps({"return": answer}), flush=True)
        if asked["execute"] == "quit":
            break
    return 0


if __name__ == "__main__":
    sys.exit(main())
