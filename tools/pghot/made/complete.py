# SPDX-License-Identifier: GPL-2.0
"""Completion for shells, from the descriptions of the verbs."""

from collections.abc import Sequence

from pghot.verb import Option, Verb

COMMON = ("-h", "--help", "-j", "--json")


def _words(option: Option) -> str:
    """Values that can be completed, as words of the shell."""
    return " ".join(value for value in option.values if value != "FILE")


def _positional(verb: Verb) -> Option | None:
    return next((option for option in verb.options if option.is_positional), None)


def bash(verbs: Sequence[Verb]) -> str:
    """A script for /usr/share/bash-completion/completions/pghot."""
    lines = [
        "# SPDX-License-Identifier: GPL-2.0",
        "# Completion of pghot for bash; made by `python3 -m pghot.make`.",
        "_pghot()",
        "{",
        "\tlocal word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}",
        "\tlocal verb= one words=",
        '\tfor one in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
        "\t\tcase $one in -*) ;; *) verb=$one; break ;; esac",
        "\tdone",
        "\tcompopt +o default",
        "\tcase $verb in",
    ]
    for verb in verbs:
        flags = [flag for option in verb.options for flag in option.flags if flag[:1] == "-"]
        lines += [f"\t{verb.name})", "\t\tcase $before in"]
        for option in verb.options:
            if option.is_positional or not option.metavar:
                continue
            action = "compopt -o default" if option.values == ("FILE",) else ":"
            if option.values and option.values != ("FILE",):
                action = f'words="{_words(option)}"'
            lines.append(f"\t\t{'|'.join(option.flags)}) {action} ;;")
        lines.append(f'\t\t*) words="{" ".join((*verb.words[1:], *COMMON, *flags))}"')
        argument = _positional(verb)
        if argument and argument.values == ("FILE",):
            lines.append("\t\t\tcompopt -o default")
        elif argument and argument.values:
            lines.append(f'\t\t\twords="$words {_words(argument)}"')
            lines.append("\t\t\tcompopt -o nospace")
        lines += ["\t\t\t;;", "\t\tesac", "\t\t;;"]
    names = " ".join(verb.name for verb in verbs)
    lines += [
        f'\t*) words="{names} -h --help --version --root" ;;',
        "\tesac",
        '\tmapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")',
        "}",
        "complete -F _pghot pghot",
    ]
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    """Text within single quotes of zsh, in a description that ends at a bracket."""
    return text.replace("'", "'\\''").replace("[", "\\[").replace("]", "\\]").replace(":", "\\:")


def zsh(verbs: Sequence[Verb]) -> str:
    """A script for /usr/share/zsh/vendor-completions/_pghot."""
    lines = [
        "#compdef pghot",
        "# SPDX-License-Identifier: GPL-2.0",
        "# Completion of pghot for zsh; made by `python3 -m pghot.make`.",
        "_pghot() {",
        "\tlocal -a verbs",
        "\tverbs=(",
        *(f"\t\t'{verb.name}:{_quoted(verb.summary)}'" for verb in verbs),
        "\t)",
        "\tif (( CURRENT == 2 )); then",
        "\t\t_describe verb verbs",
        "\t\treturn",
        "\tfi",
        "\tcase $words[2] in",
    ]
    for verb in verbs:
        lines.append(f"\t{verb.name}) _arguments '(-j --json)'{{-j,--json}}'[print JSON]' \\")
        if verb.action:
            lines.append(f"\t\t'2:action:({verb.action})' \\")
        for option in verb.options:
            action = "_files" if option.values == ("FILE",) else f"({_words(option)})"
            action = action if option.values else ""
            value = f":{_quoted(option.metavar)}:{action}" if option.metavar else ""
            if option.is_positional:
                lines.append(f"\t\t'*:{_quoted(option.flags[0])}:{action}' \\")
                continue
            for flag in option.flags:
                lines.append(f"\t\t'{flag}[{_quoted(option.help)}]{value}' \\")
        lines.append("\t\t'(-h --help)'{-h,--help}'[print what the verb takes]' ;;")
    lines += ["\tesac", "}", '_pghot "$@"']
    return "\n".join(lines) + "\n"
