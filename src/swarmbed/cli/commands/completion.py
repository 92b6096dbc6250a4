"""swarmbed completion: the script with which a shell completes commands, options and names."""

import argparse
from collections.abc import Sequence
from textwrap import dedent

import shtab

from swarmbed.cli.flags import Parser, parser_of
from swarmbed.policy.headers import shipped_policies
from swarmbed.spec import registry
from swarmbed.spec.presets import PRESETS

SUMMARY = "Print the script with which a shell completes commands, options and names"
EXAMPLE = """
swarmbed completion bash > ~/.local/share/bash-completion/completions/swarmbed
swarmbed completion zsh > ~/.zfunc/_swarmbed              # with 'fpath+=~/.zfunc' before compinit in .zshrc
swarmbed completion fish > ~/.config/fish/completions/swarmbed.fish
"""
SHELLS = ("bash", "zsh", "fish")


def run(argv: Sequence[str]) -> None:
    parser = Parser("completion", SUMMARY, EXAMPLE)
    parser.add_argument("shell", choices=SHELLS, help="the shell")
    shell = parser.parse(argv).shell
    print(shtab.complete(whole_parser(), shell))


def whole_parser() -> argparse.ArgumentParser:
    """All commands as one parser, each with every option that it has for some task, embedding or algorithm."""
    from swarmbed.cli.main import command_names

    whole = argparse.ArgumentParser("swarmbed", description="Deep reinforcement learning of robot swarms.")
    whole.add_argument("--version", action="store_true", help="print the version")
    branches = whole.add_subparsers()
    for name in command_names():
        own = parser_of(name)
        branch = branches.add_parser(name, help=own.description, description=own.description, add_help=False)
        for action in _every_action(name, own):
            _explain(action)
            branch._add_action(action)
    return whole


def _every_action(name: str, own: Parser) -> list[argparse.Action]:
    """What a command takes; the flags of ``train`` depend on what is trained, so the union of all is offered."""
    parsers = [own]
    if name == "train":
        parsers += [parser_of(name, [task]) for task in registry.tasks.all()]
        for family in (registry.embeddings, registry.networks, registry.algorithms):
            parsers += [parser_of(name, [f"--{family.kind}", member]) for member in family.all()]
    known: dict[str, argparse.Action] = {}
    for parser in parsers:
        for action in parser._actions:
            known.setdefault(action.option_strings[0] if action.option_strings else action.dest, action)
    return list(known.values())


def _explain(action: argparse.Action) -> None:
    """Say what an argument may be: names that exist, files or folders."""
    names = {family.kind: family.names() for family in registry.FAMILIES} | {"preset": list(PRESETS)}
    if action.choices is None and action.dest in names:
        action.choices, action.help = names[action.dest], action.dest  # the names say it all
    elif action.metavar == "WHO":
        action.complete = who([*registry.controllers.all(), *shipped_policies()])  # type: ignore[attr-defined]
    elif str(action.metavar).startswith("FILE"):
        action.complete = shtab.FILE  # type: ignore[attr-defined]
    elif action.metavar == "DIR":
        action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]


def who(names: list[str]) -> shtab.CompleteType:
    """Names of policies and controllers, and the user's own folders and files."""
    words = " ".join(names)
    bash = f"""
        _swarmbed_who() {{
          compgen -W "{words}" -- "$1"
          compgen -f -- "$1"
        }}
        """
    zsh = f"""
        _swarmbed_who() {{
          compadd -- {words}
          _files
        }}
        """
    return {
        "bash": "_swarmbed_who",
        "zsh": "_swarmbed_who",
        "fish": f"{words} (__fish_complete_path (commandline -ct))",
        "preamble": {"bash": dedent(bash), "zsh": dedent(zsh)},
    }
