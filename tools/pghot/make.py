# SPDX-License-Identifier: GPL-2.0
"""python3 -m pghot.make FOLDER: manual pages, completion and JSON schema, for a package."""

import gzip
import json
import sys
from pathlib import Path

from pghot.made import complete, man
from pghot.show.schema import of_verbs
from pghot.verbs import VERBS


def files() -> dict[str, str]:
    """What is made, by path below /usr/share."""
    verbs = list(VERBS.values())
    schema = of_verbs({verb.name: verb.result for verb in verbs})
    return {
        "man/man8/pghot.8": man.command_page(verbs),
        "man/man4/pghot.4": man.module_page(),
        "bash-completion/completions/pghot": complete.bash(verbs),
        "zsh/vendor-completions/_pghot": complete.zsh(verbs),
        "doc/pghot-tools/schema.json": json.dumps(schema, indent=1) + "\n",
    }


def main(folder: Path) -> None:
    """Write them all; manuals are compressed as man expects them."""
    for name, text in files().items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if name.startswith("man/"):
            # Without a time, so that the same input gives the same file.
            path.with_name(f"{path.name}.gz").write_bytes(gzip.compress(text.encode(), mtime=0))
        else:
            path.write_text(text)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
