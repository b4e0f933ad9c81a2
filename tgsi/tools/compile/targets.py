"""``--target``, ``--cpu`` and ``--list-targets``."""

from __future__ import annotations

import argparse

from tgsi.tools.compile.errors import UsageError

CODE = ("llvm", "asm", "obj")
"""Kinds of output that depend on the target."""
CPUS = ("host", "x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4")


def add_target_options(parser: argparse.ArgumentParser) -> None:
    """Declare ``--target``, ``--cpu`` and ``--list-targets``."""
    parser.add_argument(
        "--target", metavar="TRIPLE", help="target of llvm, asm and obj, e.g. aarch64-linux-gnu or just aarch64 (default: this machine)"
    )
    parser.add_argument("--cpu", metavar="NAME", help=f"processor of the target; without --target one of {', '.join(CPUS)} (default: host)")
    parser.add_argument("--list-targets", action="store_true", help="list the targets; with --target the processors of one")


def chosen_cpu(options: argparse.Namespace) -> str:
    """The `cpu` argument for the code generator. Raises UsageError if --target, --cpu and --emit do not fit together."""
    if options.target is None:
        cpu: str = options.cpu or "host"
        if cpu not in CPUS:
            from tgsi.tools.nearest import nearest

            hint = nearest(cpu, CPUS) or f"it is one of {', '.join(CPUS)}, or of those of a --target"
            raise UsageError(f"--cpu: unknown value `{cpu}`; {hint}")
        return cpu
    if not options.list_targets and not options.time_passes and options.emit not in CODE:
        raise UsageError(f"--target goes with --emit {', '.join(CODE)}")
    if options.cpu == "host":
        raise UsageError("--cpu host: not allowed with --target")
    if "/" in options.target:
        raise UsageError(f"--target {options.target}: a target is a triple as aarch64-linux-gnu; --cpu takes the processor")
    return f"{options.target}/{options.cpu}" if options.cpu else str(options.target)


def check_target(options: argparse.Namespace) -> None:
    """Raise UsageError if the target or the processor does not exist."""
    if options.target is None:
        return
    from backends.llvm.targets.architectures import architecture_of
    from backends.llvm.targets.llvm_machines import check_processor

    try:
        architecture_of(options.target)
        check_processor(chosen_cpu(options))
    except ValueError as error:
        raise UsageError(f"--target: {error}" if options.cpu is None else f"--cpu: {error}") from None


def list_targets(options: argparse.Namespace) -> str:
    """Text of --list-targets: a line per target (name, triple of the bare name, description); with --target a line per processor."""
    from backends.llvm.targets.architectures import ARCHITECTURES
    from backends.llvm.targets.llvm_machines import processors
    from backends.llvm.targets.machines import foreign

    if options.target is not None:
        check_target(options)
        target = foreign(options.target)
        return "".join(f"{name}\n" for name in processors(target.triple)) if target is not None else ""
    return "".join(f"{row.name:12} {row.triple:24} {row.about}\n" for row in ARCHITECTURES.values())
