# SPDX-License-Identifier: GPL-2.0
"""The verbs of the command, a file each."""

from pghot.verb import Verb
from pghot.verbs import (
    bundle,
    doctor,
    lab,
    load,
    measure,
    metrics,
    record,
    report,
    selftest,
    set_value,
    setup,
    sources,
    status,
    top,
    unload,
    why,
)

VERBS: dict[str, Verb] = {
    module.VERB.name: module.VERB
    for module in (
        status,
        doctor,
        setup,
        load,
        unload,
        set_value,
        sources,
        why,
        selftest,
        measure,
        top,
        record,
        report,
        bundle,
        metrics,
        lab,
    )
}
